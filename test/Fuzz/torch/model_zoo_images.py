"""More models of images and videos (see model_zoo.py)."""

from model_zoo import (BATCHES, IMAGES, SPACES, SPATIAL, First, add,
                       prepare_torchvision, timm_model, transformer,
                       vision_model)

VIDEO = (("f32", ("b", 3, 4, 32, 32)),)
FRAMES = (("f32", ("b", 4, 3, 32, 32)),)

# Transformers of patches, for images of 32 x 32.
PATCHES = {"image_size": 32, "patch_size": 8}
FIXED = {
    "deit": PATCHES, "vit_msn": PATCHES, "ijepa": PATCHES,
    "beit": PATCHES, "data2vec-vision": PATCHES,
    "yolos": {**PATCHES, "image_size": [32, 32], "num_detection_tokens": 5},
    "clip_vision_model": PATCHES, "siglip_vision_model": PATCHES,
    "dinov2_with_registers": PATCHES,
    "aimv2_vision_model": PATCHES, "vit_mae": PATCHES,
    "vitdet": {**PATCHES, "window_size": 2, "window_block_indices": [0]},
    "levit": {"image_size": 32, "hidden_sizes": [16, 24, 32],
              "num_attention_heads": [2, 2, 2], "depths": [1, 1, 1],
              "key_dim": [8, 8, 8], "mlp_ratio": [2, 2, 2],
              "attention_ratio": [2, 2, 2]},
    "swinv2": {"image_size": 32, "patch_size": 4, "embed_dim": 8,
               "depths": [1, 1], "num_attention_heads": [1, 2],
               "window_size": 4},
    "hiera": {"image_size": [32, 32], "embed_dim": 8, "depths": [1, 1],
              "num_heads": [1, 2], "patch_stride": [4, 4],
              "patch_size": [7, 7], "patch_padding": [3, 3],
              "masked_unit_size": [4, 4], "query_stride": [2, 2],
              "num_query_pool": 1},
    "pvt": {"image_size": 32, "hidden_sizes": [8, 16, 16, 16],
            "depths": [1, 1, 1, 1], "num_attention_heads": [1, 2, 2, 2]},
    "dpt": {"image_size": 32, "patch_size": 8, "num_hidden_layers": 4,
            "backbone_out_indices": [0, 1, 2, 3], "is_hybrid": False,
            "neck_hidden_sizes": [8, 8, 8, 8], "fusion_hidden_size": 8},
}
DYNAMIC = {
    "poolformer": {"hidden_sizes": [8, 16], "depths": [1, 1],
                   "num_encoder_blocks": 2, "patch_sizes": [7, 3],
                   "strides": [4, 2], "padding": [2, 1]},
    "cvt": {"embed_dim": [8, 16, 16], "num_heads": [1, 2, 2],
            "depth": [1, 1, 1]},
    "convnextv2": {"hidden_sizes": [8, 16], "depths": [1, 1],
                   "num_stages": 2},
    "dinov3_convnext": {"hidden_sizes": [8, 16, 16, 16],
                        "depths": [1, 1, 1, 1]},
    "regnet": {"embedding_size": 8, "hidden_sizes": [8, 16],
               "depths": [1, 1], "groups_width": 8},
    "resnet": {"embedding_size": 8, "hidden_sizes": [8, 16],
               "depths": [1, 1]},
    "bit": {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1],
            "num_groups": 2, "layer_type": "preactivation"},
    "mobilenet_v1": {"depth_multiplier": 0.25},
    "mobilenet_v2": {"depth_multiplier": 0.25},
    "mobilevit": {"hidden_sizes": [16, 24, 32], "neck_hidden_sizes": [
        8, 8, 8, 16, 16, 16, 16], "image_size": 64},
    "mobilevitv2": {"width_multiplier": 0.25, "image_size": 64},
    "efficientnet": {"width_coefficient": 0.25, "depth_coefficient": 0.3},
    "pvt_v2": {"hidden_sizes": [8, 16, 16, 16], "depths": [1, 1, 1, 1],
               "num_attention_heads": [1, 2, 2, 2]},
    "focalnet": {"embed_dim": 8, "depths": [1, 1], "hidden_sizes": [8, 16],
                 "focal_levels": [2, 2], "focal_windows": [3, 3]},
    "glpn": {"hidden_sizes": [8, 16, 16, 16], "depths": [1, 1, 1, 1],
             "num_attention_heads": [1, 2, 2, 2], "decoder_hidden_size": 8},
    "swiftformer": {"embed_dims": [8, 16, 16, 24], "depths": [1, 1, 1, 1]},
    "superpoint": {
        "encoder_hidden_sizes": [8, 8, 16, 16], "decoder_hidden_size": 16,
        "descriptor_decoder_dim": 16},
    "dinov3_vit": {"patch_size": 16},
}
for _table, _arguments, _calls in ((FIXED, IMAGES, BATCHES),
                                   (DYNAMIC, SPATIAL, SPACES)):
    for _kind, _more in _table.items():
        _name = f"hf_{_kind}" if _kind == "mobilenet_v2" else _kind
        add(_name, transformer(_kind, **_more), _arguments, _calls)
add("detr", transformer(
    "detr", d_model=32, encoder_layers=1, decoder_layers=1,
    encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=37,
    decoder_ffn_dim=37, num_queries=5, use_timm_backbone=True,
    use_pretrained_backbone=False, backbone="resnet10t"), SPATIAL, SPACES)
add("videomae", transformer(
    "videomae", image_size=32, patch_size=8, num_frames=4), FRAMES, BATCHES)
add("timesformer", transformer(
    "timesformer", image_size=32, patch_size=8, num_frames=4), FRAMES, BATCHES)
add("vivit", transformer(
    "vivit", image_size=32, num_frames=4, tubelet_size=[2, 8, 8]), FRAMES,
    BATCHES)

for _kind in (
        "efficientnet_b0", "tf_efficientnetv2_b0", "dm_nfnet_f0",
        "eca_nfnet_l0", "coatnet_pico_rw_224", "cspresnet50", "cspdarknet53",
        "dla34", "dpn48b", "hrnet_w18_small", "res2net50_14w_8s",
        "inception_v4", "vgg11", "vgg11_bn", "repvgg_a0", "densenet121",
        "regnetx_002", "rexnet_100", "selecsls42b", "seresnet18", "skresnet18",
        "tresnet_m", "xception41", "mobilenetv4_conv_small_050",
        "fastvit_t8", "repvit_m0_9", "repghostnet_050", "ghostnetv2_100",
        "hgnetv2_b0", "inception_next_atto", "mambaout_femto", "lcnet_050",
        "mobilenetv2_050", "mobileone_s0", "nasnetalarge", "pnasnet5large",
        "resnest14d", "resnetv2_18", "rdnet_tiny", "starnet_s1",
        "visformer_tiny", "vovnet39a", "fasternet_t0", "hardcorenas_a",
        "gernet_s", "halonet26t", "lambda_resnet26t", "botnet26t_256",
        "convmixer_768_32", "poolformerv2_s12", "caformer_s18",
        "efficientvit_b0", "mobilevitv2_050", "tinynet_e", "semnasnet_050",
        "spnasnet_100", "shvit_s1", "csatv2", "lcnetv2_050",
        "test_convnext", "test_resnet", "test_efficientnet",
        "test_byobnet", "test_nfnet", "test_mambaout"):
    add(f"timm_{_kind}", timm_model(_kind), SPATIAL, SPACES)
for _kind, _options in {
        "cait_xxs24_224": {"img_size": 32, "patch_size": 8, "depth": 1,
                           "embed_dim": 32, "num_heads": 4},
        "xcit_nano_12_p8_224": {"img_size": 32, "depth": 1},
        "pit_ti_224": {"img_size": 32, "patch_size": 8, "stride": 4,
                       "base_dims": [8, 8, 8], "depth": [1, 1, 1],
                       "heads": [1, 2, 2]},
        "tnt_s_patch16_224": {"img_size": 32, "depth": 1, "embed_dim": 32,
                              "inner_dim": 8, "num_heads_outer": 4},
        "volo_d1_224": {"img_size": 32, "layers": [1, 1, 1, 1],
                        "embed_dims": [24, 32, 32, 32],
                        "num_heads": [2, 4, 4, 4]},
        "maxvit_pico_rw_256": {"img_size": 64},
        "maxxvit_rmlp_nano_rw_256": {"img_size": 64},
        "beit_base_patch16_224": {"img_size": 32, "depth": 1,
                                  "embed_dim": 32, "num_heads": 4},
        "eva02_tiny_patch14_224": {"img_size": 28, "depth": 1},
        "deit3_small_patch16_224": {"img_size": 32, "depth": 1,
                                    "embed_dim": 32, "num_heads": 4},
        "crossvit_tiny_240": {"img_size": 48},
        "convit_tiny": {"img_size": 32, "depth": 3},
        "coat_lite_tiny": {"img_size": 64},
        "twins_svt_small": {"img_size": 64, "depths": [1, 1, 1, 1]},
        "pvt_v2_b0": {}, "nest_tiny": {"img_size": 32},
        "gcvit_xxtiny": {"img_size": 64}, "davit_tiny": {},
        "efficientformer_l1": {}, "efficientformerv2_s0": {"img_size": 64},
        "focalnet_tiny_srf": {}, "levit_128s": {"img_size": 64},
        "mvitv2_tiny": {"img_size": 64}, "sequencer2d_s": {"img_size": 64},
        "swin_tiny_patch4_window7_224": {"img_size": 56,
                                         "depths": [1, 1, 1, 1]},
        "swinv2_tiny_window8_256": {"img_size": 64, "depths": [1, 1, 1, 1]},
        "swinv2_cr_tiny_224": {"img_size": 64, "window_size": (2, 2),
                               "depths": [1, 1, 1, 1]},
        "tiny_vit_5m_224": {"img_size": 64}, "vitamin_small_224": {
            "img_size": 64},
        "gmixer_12_224": {"img_size": 32, "num_blocks": 1},
        "resmlp_12_224": {"img_size": 32, "num_blocks": 1},
        "gmlp_ti16_224": {"img_size": 32, "num_blocks": 1},
        "vit_relpos_small_patch16_224": {"img_size": 32, "depth": 1},
        "samvit_base_patch16": {"img_size": 64, "depth": 1, "embed_dim": 32,
                                "num_heads": 4},
        "hiera_tiny_224": {"img_size": 64}, "efficientvit_m0": {
            "img_size": 64},
        "test_vit": {"img_size": 32}, "swiftformer_xs": {},
        "nextvit_small": {}}.items():
    _size = _options.get("img_size", 64)
    add(f"timm_{_kind}", timm_model(_kind, **_options),
        (("f32", ("b", 3, _size, _size)),), BATCHES)

for _kind, _options in {
        "alexnet": {}, "densenet121": {}, "efficientnet_b0": {},
        "efficientnet_v2_s": {}, "mobilenet_v3_small": {},
        "regnet_x_400mf": {}, "resnext50_32x4d": {}, "vgg11": {},
        "convnext_tiny": {}, "shufflenet_v2_x1_0": {},
        "inception_v3": {"init_weights": False, "aux_logits": False},
        "lraspp_mobilenet_v3_large": {"weights_backbone": None},
        "deeplabv3_mobilenet_v3_large": {"weights_backbone": None}}.items():
    _calls = SPACES
    if _kind in ("alexnet", "inception_v3"):
        _calls = ({"b": 2, "h": 96, "w": 128}, {"b": 1, "h": 96, "w": 96},
                  {"b": 3, "h": 128, "w": 96})
    add(f"tv_{_kind}", vision_model(_kind, **_options), SPATIAL, _calls)
add("tv_vit", vision_model(
    "VisionTransformer", image_size=32, patch_size=8, num_layers=1,
    num_heads=4, hidden_dim=32, mlp_dim=37), IMAGES, BATCHES)
add("tv_swin_t", vision_model("swin_t"), SPATIAL, SPACES)
add("tv_swin_v2_t", vision_model("swin_v2_t"), SPATIAL, SPACES)
add("tv_maxvit", vision_model(
    "MaxVit", input_size=(64, 64), stem_channels=8, partition_size=2,
    block_channels=[8, 16], block_layers=[1, 1], head_dim=8,
    stochastic_depth_prob=0.0), (("f32", ("b", 3, 64, 64)),), BATCHES)


def of_torchvision(make):
    """A model that `make` makes of torchvision.models."""
    def made():
        prepare_torchvision()
        import torchvision.models
        return First(make(torchvision.models))
    return made


add("tv_r3d_18", of_torchvision(lambda m: m.video.r3d_18()), VIDEO, BATCHES)
add("tv_mc3_18", of_torchvision(lambda m: m.video.mc3_18()), VIDEO, BATCHES)
add("tv_r2plus1d_18", of_torchvision(lambda m: m.video.r2plus1d_18()), VIDEO,
    BATCHES)
add("tv_s3d", of_torchvision(lambda m: m.video.s3d()),
    (("f32", ("b", 3, 16, 224, 224)),), BATCHES[1:])
add("tv_fpn", of_torchvision(
    lambda m: m.detection.backbone_utils.resnet_fpn_backbone(
        backbone_name="resnet18", weights=None)), SPATIAL, SPACES)
