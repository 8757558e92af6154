"""Models of sound, of series, and of more than one kind of input (see
model_zoo.py)."""

from model_zoo import BATCHES, add, transformer

WAVES = (("f32", ("b", "n")),)
LENGTHS = ({"b": 2, "n": 1600}, {"b": 1, "n": 1333}, {"b": 3, "n": 800})
_CONVOLUTIONS = {"conv_dim": [8, 8, 8], "conv_stride": [5, 4, 2],
                 "conv_kernel": [10, 8, 4], "num_feat_extract_layers": 3,
                 "num_conv_pos_embeddings": 4,
                 "num_conv_pos_embedding_groups": 2, "mask_time_prob": 0.0,
                 "apply_spec_augment": False, "layerdrop": 0.0}

for _kind, _more in {
        "wav2vec2": {}, "hubert": {}, "wavlm": {"num_buckets": 16},
        "unispeech": {}, "unispeech-sat": {}, "wav2vec2-conformer": {
            "conv_depthwise_kernel_size": 3},
        "data2vec-audio": {"conv_pos_kernel_size": 3,
                           "num_conv_pos_embeddings": 2},
        "sew": {"squeeze_factor": 2},
        "sew-d": {"squeeze_factor": 2, "max_position_embeddings": 64}}.items():
    add(_kind, transformer(_kind, **{**_CONVOLUTIONS, **_more}), WAVES, LENGTHS)

SPEECH = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1,
          "encoder_attention_heads": 4, "decoder_attention_heads": 4,
          "encoder_ffn_dim": 37, "decoder_ffn_dim": 37}
FEATURES = (("f32", ("b", "n", 8)),)
FRAMES = ({"b": 2, "n": 40}, {"b": 1, "n": 33}, {"b": 3, "n": 17})
add("speech_to_text", transformer(
    "speech_to_text", True, **SPEECH, input_feat_per_channel=8,
    conv_channels=16, max_source_positions=100), FEATURES, FRAMES)
add("wav2vec2-bert", transformer(
    "wav2vec2-bert", feature_projection_input_dim=8, mask_time_prob=0.0,
    apply_spec_augment=False, layerdrop=0.0), FEATURES, FRAMES)
add("audio-spectrogram-transformer", transformer(
    "audio-spectrogram-transformer", patch_size=4, num_mel_bins=8,
    max_length=16, frequency_stride=4, time_stride=4),
    (("f32", ("b", 16, 8)),), BATCHES)
add("parakeet_encoder", transformer(
    "parakeet_encoder", num_mel_bins=16, subsampling_conv_channels=8,
    layerdrop=0.0), (("f32", ("b", "n", 16)),), FRAMES)
add("encodec", transformer(
    "encodec", num_filters=4, upsampling_ratios=[4, 2], codebook_size=16,
    codebook_dim=32, num_lstm_layers=1), (("f32", ("b", 1, "n")),), LENGTHS)
add("univnet", transformer("univnet"), FEATURES, FRAMES)
add("patchtst", transformer(
    "patchtst", num_input_channels=2, context_length=32, patch_length=8,
    patch_stride=8, d_model=16, ffn_dim=16), (("f32", ("b", 32, 2)),), BATCHES)
add("patchtsmixer", transformer(
    "patchtsmixer", num_input_channels=2, context_length=32, patch_length=8,
    patch_stride=8, d_model=8), (("f32", ("b", 32, 2)),), BATCHES)
add("decision_transformer_gpt2", transformer(
    "gpt2", n_embd=16, n_layer=1, n_head=2, n_positions=64,
    activation_function="relu"), (("ids", ("b", "s")),),
    ({"b": 2, "s": 7}, {"b": 1, "s": 3}))
