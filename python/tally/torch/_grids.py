"""Gradients of images, and of volumes, that are read at the places of a grid, in operators of the core."""

import itertools

import torch

aten = torch.ops.aten

_NEAREST, _CUBIC = 1, 2
_BORDER, _REFLECTION = 1, 2


def _reflect(place, size, aligns):
    """A place as mirrors at both ends show it, and the derivative of that."""
    low, span = (0.0, size - 1) if aligns else (-0.5, size)
    moved = place - low
    sign = torch.where(moved < 0, -1.0, 1.0)
    moved = moved.abs()
    # One element is everywhere.
    safe = torch.sym_max(span, 1) if aligns else span
    rest = moved - (moved / safe).floor() * safe
    odd = torch.remainder((moved / safe).floor(), 2) == 1
    place = torch.where(odd, span - rest + low, rest + low)
    sign = torch.where(odd, -sign, sign)
    if not aligns:
        return place, sign
    many = torch.full_like(place, 1) * span > 0
    return torch.where(many, place, 0.0), torch.where(many, sign, 0.0)


def _pad(place, size, padding, aligns):
    """A place as the padding moves it, and the derivative of that."""
    slope = torch.ones_like(place)
    if padding == _REFLECTION:
        place, slope = _reflect(place, size, aligns)
    if padding in (_BORDER, _REFLECTION):
        inside = (place > 0) & (place < size - 1)
        # What is no number is at the first element.
        place = torch.where(place > 0, place, 0.0).clamp(max=size - 1)
        slope = torch.where(inside, slope, 0.0)
    return place, slope


def _cubic_weights(rest):
    """Weights of the four elements around a place, which is `rest` behind the second, and their derivatives."""
    a, weights = -0.75, []
    for number in range(4):
        sign = 1.0 if number < 2 else -1.0
        distance = (rest + (1 - number)) * sign
        if number in (1, 2):
            weight = ((a + 2) * distance - (a + 3)) * distance * distance + 1
            slope = (3 * (a + 2) * distance - 2 * (a + 3)) * distance
        else:
            weight = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
            slope = (3 * a * distance - 10 * a) * distance + 8 * a
        weights.append((weight, slope * sign))
    return weights


def _find_taps(coordinate, size, interpolation, padding, aligns):
    """The elements along a dimension that are mixed at a coordinate in [-1, 1]: the place of each, its weight,
    and the derivative of that by the coordinate."""
    scale = (size - 1) / 2 if aligns else size / 2
    place = (coordinate + 1) * scale if aligns else (coordinate + 1) * scale - 0.5
    if interpolation == _CUBIC:
        low = place.floor()
        return [(_pad(low + (number - 1), size, padding, aligns)[0], weight, slope * scale)
                for number, (weight, slope) in enumerate(_cubic_weights(place - low))]
    place, slope = _pad(place, size, padding, aligns)
    if interpolation == _NEAREST:
        return [(place.round(), torch.ones_like(place), torch.zeros_like(place))]
    low = place.floor()
    rest = place - low
    return [(low, 1 - rest, -slope * scale), (low + 1, rest, slope * scale)]


def _multiply(factors):
    product, *rest = factors
    for each in rest:
        product = product * each
    return product


def _find_elements(places, sizes):
    """Whether an image has elements at whole places, and their indices, 0 where it has none."""
    inside, index = True, 0
    for place, size in zip(places, sizes):
        fits = (place >= 0) & (place <= size - 1)  # False for what is no number.
        index = index * size + torch.where(fits, place, 0.0).to(torch.int64)
        inside = inside & fits
    return inside, torch.where(inside, index, 0)


def _sample_backward(grad, image, grid, interpolation, padding, aligns, output_mask):
    dtype = grad.dtype
    if dtype in (torch.float16, torch.bfloat16):
        grad, image, grid = (each.float() for each in (grad, image, grid))
    batch, channels, *sizes = image.shape
    grad = grad.flatten(2)
    values = image.flatten(2)
    # The last coordinate is of the first dimension.
    coordinates = [grid[..., -1 - dim].flatten(1) for dim in range(len(sizes))]
    taps = [_find_taps(each, size, interpolation, padding, aligns) for each, size in zip(coordinates, sizes)]
    to_image = torch.zeros_like(values, memory_format=torch.contiguous_format) if output_mask[0] else None
    slopes = [0.0 for _ in sizes]
    for corner in itertools.product(*taps):
        places, weights, derivatives = zip(*corner)
        inside, index = _find_elements(places, sizes)
        wide = index.unsqueeze(1).expand(batch, channels, index.shape[1])
        if output_mask[0]:
            share = torch.where(inside, _multiply(weights), 0.0)
            to_image = to_image.scatter_add(2, wide, grad * share.unsqueeze(1))
        if output_mask[1] and interpolation != _NEAREST:
            through = torch.where(inside, (values.gather(2, wide) * grad).sum(1), 0.0)
            for dim, slope in enumerate(derivatives):
                others = [slope, *weights[:dim], *weights[dim + 1:]]
                slopes[dim] = slopes[dim] + through * _multiply(others)
    to_image = to_image.view(image.shape).to(dtype) if output_mask[0] else None
    if not output_mask[1]:
        return to_image, None
    if interpolation == _NEAREST:
        return to_image, torch.zeros_like(grid, dtype=dtype, memory_format=torch.contiguous_format)
    to_grid = torch.stack(slopes[::-1], -1).view(grid.shape)
    return to_image, to_grid.to(dtype)


DECOMPOSITIONS = {
    aten.grid_sampler_2d_backward.default: _sample_backward,
    aten.grid_sampler_3d_backward.default: _sample_backward,
}
