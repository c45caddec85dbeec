import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeTensors, encodeTensors, SafetensorsError } from './safetensors.js';

const tensors = {
  wide: { shape: [2], data: Float64Array.of(1e300, -0) },
  factors: { shape: [2, 3], data: Float32Array.of(1, 2, 3, 4, 5, Number.NaN) },
  neighbours: { shape: [1, 1], data: Int32Array.of(-1) },
  empty: { shape: [0, 4], data: new Float32Array(0) },
};

describe('safetensors', () => {
  it('comes back as it was', () => {
    expect(decodeTensors(encodeTensors(tensors))).toEqual(tensors);
  });

  it('has the layout of the published format: length, header, data, all little-endian', () => {
    const bytes = encodeTensors({ x: { shape: [1], data: Float32Array.of(1) } });
    const header = '{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}';
    const padded = header.padEnd(Math.ceil(header.length / 8) * 8);
    expect([...bytes.subarray(0, 8)]).toEqual([padded.length, 0, 0, 0, 0, 0, 0, 0]);
    expect(new TextDecoder().decode(bytes.subarray(8, 8 + padded.length))).toBe(padded);
    expect([...bytes.subarray(8 + padded.length)]).toEqual([0, 0, 0x80, 0x3f]);
  });

  it('gives the same bytes in whatever order tensors come', () => {
    const bytes = encodeTensors(tensors);
    const turned = Object.fromEntries(Object.entries(tensors).reverse());
    expect(encodeTensors(turned)).toEqual(bytes);
  });

  it('starts every tensor at a multiple of the size of its elements, names ascending among equal ones', () => {
    const single = { shape: [1], data: Float32Array.of(1) };
    const bytes = encodeTensors({
      b: single,
      a: single,
      z: { shape: [1], data: Float64Array.of(2) },
      c: single,
    });
    const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
    expect((8 + length) % 8).toBe(0);
    expect(header['z'].data_offsets).toEqual([0, 8]);
    expect(['a', 'b', 'c'].map((name) => header[name].data_offsets[0])).toEqual([8, 12, 16]);
  });

  it('reads a view into a larger buffer, at any offset', () => {
    const bytes = encodeTensors(tensors);
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    expect(decodeTensors(shifted.subarray(3))).toEqual(tensors);
  });

  it('refuses every truncation and anything appended', () => {
    const bytes = encodeTensors(tensors);
    for (let length = 0; length < bytes.length; length++)
      expect(() => decodeTensors(bytes.subarray(0, length))).toThrow(SafetensorsError);
    const longer = new Uint8Array(bytes.length + 1);
    longer.set(bytes);
    expect(() => decodeTensors(longer)).toThrow(/after the last tensor/);
  });

  it('answers any bytes with tensors or with its own error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(), (noise, position) => {
        const bytes = encodeTensors(tensors);
        bytes.set(noise.subarray(0, Math.min(noise.length, 20)), position % (bytes.length - 20));
        try {
          decodeTensors(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(SafetensorsError);
        }
      }),
    );
  });

  it('refuses to encode a shape that is not the data’s', () => {
    expect(() => encodeTensors({ x: { shape: [3], data: Float32Array.of(1) } })).toThrow(/needs 3/);
  });
});
