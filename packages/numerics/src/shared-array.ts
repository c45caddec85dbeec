/**
 * Arrays that threads read and write in place. Where the host has no SharedArrayBuffer (a page that is not
 * cross-origin isolated) they are ordinary arrays, and everything runs in one thread.
 */
export const sharedMemoryAvailable: boolean = typeof SharedArrayBuffer === 'function';

function sharedBytes(length: number): SharedArrayBuffer | ArrayBuffer {
  return sharedMemoryAvailable ? new SharedArrayBuffer(length) : new ArrayBuffer(length);
}

/** `length` float32 zeros. */
export function sharedFloat32(length: number): Float32Array {
  return new Float32Array(sharedBytes(length * 4));
}

/** `length` float64 zeros. */
export function sharedFloat64(length: number): Float64Array {
  return new Float64Array(sharedBytes(length * 8));
}

/** `length` unsigned 32-bit zeros. */
export function sharedUint32(length: number): Uint32Array {
  return new Uint32Array(sharedBytes(length * 4));
}

/** `length` signed 32-bit zeros. */
export function sharedInt32(length: number): Int32Array {
  return new Int32Array(sharedBytes(length * 4));
}
