"""More models of text (see model_zoo.py)."""

from model_zoo import IDS, TEXT, add, transformer

ENCODERS = {
    "deberta": {"relative_attention": True,
                "pos_att_type": ["c2p", "p2c"], "max_relative_positions": 16},
    "camembert": {}, "xlm-roberta": {}, "xlm-roberta-xl": {}, "xmod": {
        "languages": ["en_XX"], "default_language": "en_XX"},
    "ernie": {}, "esm": {"emb_layer_norm_before": True, "mask_token_id": 5},
    "convbert": {"embedding_size": 32, "conv_kernel_size": 3,
                 "head_ratio": 2},
    "data2vec-text": {}, "layoutlm": {}, "lilt": {}, "markuplm": {},
    "megatron-bert": {}, "rembert": {
        "input_embedding_size": 16, "output_embedding_size": 16},
    "roberta-prelayernorm": {}, "splinter": {}, "yoso": {}, "ibert": {},
    "bert-generation": {}, "nomic_bert": {}, "mra": {
        "approx_mode": "full", "num_block_per_row": 1},
    "xlm": {"emb_dim": 32, "n_layers": 2, "n_heads": 4, "n_words": 99,
            "use_lang_emb": False},
    "flaubert": {"emb_dim": 32, "n_layers": 2, "n_heads": 4, "n_words": 99,
                 "use_lang_emb": False, "pre_norm": True},
    "funnel": {"block_sizes": [1, 1], "d_model": 32, "n_head": 4,
               "d_head": 8, "d_inner": 37, "num_decoder_layers": 1},
    "xlnet": {"d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 37, "max_position_embeddings": None},
    "longformer": {"attention_window": [4, 4]},
    "reformer": {"attn_layers": ["local", "local"], "attention_head_size": 8,
                 "axial_pos_embds": False, "feed_forward_size": 37,
                 "local_attn_chunk_length": 4, "num_buckets": 2},
    "canine": {"downsampling_rate": 2, "upsampling_kernel_size": 2,
               "num_hash_functions": 2, "num_hash_buckets": 32,
               "local_transformer_stride": 4},
    "luke": {"entity_vocab_size": 20, "entity_emb_size": 16},
    "tapas": {}, "roc_bert": {"pronunciation_embed_dim": 16,
                              "shape_embed_dim": 16,
                              "pronunciation_vocab_size": 99,
                              "shape_vocab_size": 99},
    "eurobert": {"num_key_value_heads": 4}, "gte": {},
}

GROUPED = {"num_key_value_heads": 2}
DECODERS = {
    "gpt_neo": {"num_layers": 2, "num_heads": 4, "window_size": 4,
                "attention_types": [[["global", "local"], 1]]},
    "gpt_neox_japanese": {}, "gpt_bigcode": {
        "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64},
    "openai-gpt": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64},
    "ctrl": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64,
             "dff": 37},
    "biogpt": {}, "xglm": {"d_model": 32, "num_layers": 2,
                           "attention_heads": 4, "ffn_dim": 37},
    "cohere": GROUPED, "cohere2": {**GROUPED, "head_dim": 8},
    "granite": GROUPED, "olmo2": GROUPED, "olmo3": GROUPED,
    "phi3": GROUPED, "qwen3": {**GROUPED, "head_dim": 8},
    "gemma2": {**GROUPED, "head_dim": 8},
    "gemma3_text": {**GROUPED, "head_dim": 8},
    "starcoder2": GROUPED, "nemotron": {**GROUPED, "head_dim": 8},
    "persimmon": {}, "glm": {**GROUPED, "head_dim": 8},
    "glm4": {**GROUPED, "head_dim": 8}, "helium": {**GROUPED, "head_dim": 8},
    "smollm3": GROUPED, "exaone4": GROUPED, "ernie4_5": GROUPED,
    "seed_oss": {**GROUPED, "head_dim": 8}, "arcee": GROUPED,
    "apertus": GROUPED, "diffllama": GROUPED, "hunyuan_v1_dense": {
        **GROUPED, "head_dim": 8},
    "modernbert-decoder": {"intermediate_size": 48},
    "moonshine": {},
    "qwen2_moe": {**GROUPED, "moe_intermediate_size": 16,
                  "shared_expert_intermediate_size": 16, "num_experts": 4,
                  "num_experts_per_tok": 2},
    "qwen3_moe": {**GROUPED, "moe_intermediate_size": 16, "num_experts": 4,
                  "num_experts_per_tok": 2, "head_dim": 8},
    "olmoe": {**GROUPED, "num_experts": 4, "num_experts_per_tok": 2},
    "granitemoe": {**GROUPED, "num_local_experts": 4,
                   "num_experts_per_tok": 2},
    "gpt_oss": {**GROUPED, "num_local_experts": 4, "num_experts_per_tok": 2,
                "head_dim": 8},
    "deepseek_v3": {"n_routed_experts": 4, "num_experts_per_tok": 2,
                    "n_group": 2, "topk_group": 1, "first_k_dense_replace": 1,
                    "moe_intermediate_size": 16, "q_lora_rank": 16,
                    "kv_lora_rank": 8, "qk_rope_head_dim": 4,
                    "qk_nope_head_dim": 8, "v_head_dim": 8},
    "mamba": {"state_size": 4, "time_step_rank": 4},
    "mamba2": {"state_size": 8, "num_heads": 4, "head_dim": 16, "n_groups": 1,
               "chunk_size": 4},
    "falcon_mamba": {"state_size": 4, "time_step_rank": 4},
    "rwkv": {"attention_hidden_size": 32, "context_length": 64},
    "recurrent_gemma": {**GROUPED, "lru_width": 32, "num_hidden_layers": 3,
                        "attention_window_size": 8},
    "lfm2": {**GROUPED, "layer_types": ["conv", "full_attention"],
             "block_ff_dim": 37},
    "bamba": {**GROUPED, "mamba_n_heads": 8, "mamba_d_head": 8,
              "mamba_d_state": 8, "attn_layer_indices": [1],
              "mamba_chunk_size": 4},
    "jamba": {**GROUPED, "mamba_d_state": 4, "mamba_dt_rank": 4,
              "use_mamba_kernels": False, "num_experts": 2,
              "attn_layer_period": 2, "attn_layer_offset": 1},
    "zamba2": {"num_hidden_layers": 3, "mamba_d_state": 8, "mamba_headdim": 16,
               "n_mamba_heads": 4, "hybrid_layer_ids": [1], "chunk_size": 4,
               "num_mem_blocks": 1},
    "xlstm": {"num_heads": 2, "num_blocks": 2, "embedding_dim": 32},
}

_LAYERS = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1,
           "encoder_attention_heads": 4, "decoder_attention_heads": 4,
           "encoder_ffn_dim": 37, "decoder_ffn_dim": 37}
_T5 = {"d_model": 32, "d_kv": 8, "d_ff": 37, "num_layers": 2, "num_heads": 4}
# Of most of these the encoder is a model of its own.
BOTH = {
    "mbart": _LAYERS, "pegasus": _LAYERS, "marian": {
        **_LAYERS, "decoder_start_token_id": 1},
    "blenderbot": _LAYERS, "blenderbot-small": _LAYERS, "m2m_100": _LAYERS,
    "plbart": _LAYERS, "led": {**_LAYERS, "attention_window": 4,
                               "max_encoder_position_embeddings": 64},
    "bigbird_pegasus": {**_LAYERS, "attention_type": "original_full"},
    "mvp": _LAYERS, "pegasus_x": _LAYERS, "nllb-moe": {
        **_LAYERS, "num_experts": 2},
    "fsmt": {**_LAYERS, "langs": ["en", "de"], "src_vocab_size": 99,
             "tgt_vocab_size": 99},
    "prophetnet": {**_LAYERS, "num_encoder_layers": 1,
                   "num_encoder_attention_heads": 4},
    "mt5": _T5, "umt5": _T5, "longt5": {**_T5, "local_radius": 3},
    "switch_transformers": {**_T5, "num_experts": 2},
}

for _table in (ENCODERS, DECODERS):
    for _kind, _more in _table.items():
        add(_kind, transformer(_kind, **_more), IDS, TEXT)
for _kind, _more in BOTH.items():
    add(_kind, transformer(_kind, True, **_more), IDS, TEXT)
for _kind in ("clip_text_model", "siglip_text_model", "clipseg_text_model",
              "owlvit_text_model", "xclip_text_model", "aimv2_text_model"):
    add(_kind, transformer(_kind), IDS, TEXT)
