"""BERT with mean pooling, as all-MiniLM-L6-v2 is, in a few lines: sentence-transformers takes seconds to load.

torch has BERT's layers, and tokenizers its tokenizer. Vectors are those of sentence-transformers, up to rounding.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn.functional import embedding, layer_norm, normalize

LAYER = {
    "self_attn.out_proj": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "linear1": "intermediate.dense",
    "linear2": "output.dense",
    "norm2": "output.LayerNorm",
}
"""Names of a layer's parts in torch, and in the files of BERT models."""

PACKED = 512
"""Tokens that a batch may have to be computed as one row in which no text looks at another, without any padding.

A question and its phrases have very different lengths, so that padding would more than double the work.
"""


class Bert:
    """A model with those methods of a ``SentenceTransformer`` that :class:`SentenceTransformerEncoder` uses.

    Args:
        folder: Folder of the model.
        device: Device of the model. ``None`` uses an accelerator if there is one.
        dtype: Type of the weights that it computes with.
    """

    prompts: Mapping[str, str] = {}

    def __init__(self, folder: Path, device: str | None = None, dtype: torch.dtype = torch.float32) -> None:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        limits = json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))
        self.max_seq_length: int = limits["max_seq_length"]
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._device = torch.device(device or torch.accelerator.current_accelerator(check_available=True) or "cpu")
        weights = {
            name: weight.to(dtype) if weight.is_floating_point() else weight
            for name, weight in load_file(folder / "model.safetensors").items()
        }
        self._weights = {name: weight.to(self._device) for name, weight in weights.items() if "embeddings" in name}
        self._eps: float = config["layer_norm_eps"]
        layers = []
        for number in range(config["num_hidden_layers"]):
            with torch.device("meta"):  # The weights are not drawn only to be replaced.
                layer = nn.TransformerEncoderLayer(
                    config["hidden_size"],
                    config["num_attention_heads"],
                    config["intermediate_size"],
                    activation=config["hidden_act"],
                    layer_norm_eps=self._eps,
                    batch_first=True,
                )
            layer.load_state_dict(_layer(weights, f"encoder.layer.{number}."), assign=True)
            layers.append(layer)
        self._layers = nn.ModuleList(layers).to(self._device).requires_grad_(False).eval()

    def get_embedding_dimension(self) -> int:
        """Length of a vector."""
        return self._weights["embeddings.LayerNorm.weight"].numel()

    def tokenizer(self, texts: Sequence[str], **_: Any) -> dict[str, list[list[int]]]:
        """The tokens of texts, none cut off."""
        return {"input_ids": [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]}

    def encode_query(self, texts: Sequence[str], *, prompt: str = "", batch_size: int = 32, **_: Any) -> Tensor:
        """Normalised vectors ``[len(texts), d]``."""
        tokens = self.tokenizer([prompt + text for text in texts])["input_ids"]
        # What is cut off stands before the last token, which ends every text.
        longest = self.max_seq_length
        tokens = [ids if len(ids) <= longest else [*ids[: longest - 1], ids[-1]] for ids in tokens]
        # Texts of similar length together, because all of a batch are as long as the longest.
        order = sorted(range(len(tokens)), key=lambda place: -len(tokens[place]))
        vectors = torch.empty(len(tokens), self.get_embedding_dimension(), device=self._device)
        for start in range(0, len(order), batch_size):
            places = order[start : start + batch_size]
            vectors[places] = self._pooled([tokens[place] for place in places])
        return normalize(vectors)

    encode_document = encode_query

    @torch.inference_mode()
    def _pooled(self, tokens: Sequence[Sequence[int]]) -> Tensor:
        """The mean of each text's vectors ``[B, d]``; the longest text comes first."""
        sizes = [len(ids) for ids in tokens]
        size = torch.tensor(sizes, device=self._device)
        if sum(sizes) <= PACKED:
            text = torch.arange(len(sizes), device=self._device).repeat_interleave(size)  # [L]
            position = torch.arange(len(text), device=self._device) - (size.cumsum(0) - size)[text]
            x = self._embedded(torch.tensor([list(chain.from_iterable(tokens))], device=self._device), position)
            apart = text[:, None] != text if len(sizes) > 1 else None
            for layer in self._layers:
                x = layer(x, src_mask=apart)
            x = x.float()
            return x.new_zeros(len(sizes), x.size(2)).index_add(0, text, x[0]) / size[:, None]
        padded = torch.tensor([[*ids, *(sizes[0] - len(ids)) * [0]] for ids in tokens], device=self._device)
        position = torch.arange(sizes[0], device=self._device)
        padding = position >= size[:, None]  # [B, L]
        x = self._embedded(padded, position)
        for layer in self._layers:
            x = layer(x, src_key_padding_mask=padding)
        return x.float().masked_fill(padding[:, :, None], 0.0).sum(dim=1) / size[:, None]

    def _embedded(self, tokens: Tensor, position: Tensor) -> Tensor:
        """The vectors ``[B, L, d]`` of tokens ``[B, L]`` at positions ``[L]``, before the first layer."""
        weights = {name.removeprefix("embeddings."): weight for name, weight in self._weights.items()}
        x = embedding(tokens, weights["word_embeddings.weight"]) + weights["token_type_embeddings.weight"][0]
        x = x + weights["position_embeddings.weight"][position]
        return layer_norm(x, x.shape[-1:], weights["LayerNorm.weight"], weights["LayerNorm.bias"], self._eps)


def _layer(weights: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The weights of one layer, as torch names them."""
    found = {}
    for part in ("weight", "bias"):
        attention = [weights[f"{prefix}attention.self.{name}.{part}"] for name in ("query", "key", "value")]
        found[f"self_attn.in_proj_{part}"] = torch.cat(attention)
        found |= {f"{name}.{part}": weights[f"{prefix}{theirs}.{part}"] for name, theirs in LAYER.items()}
    return found
