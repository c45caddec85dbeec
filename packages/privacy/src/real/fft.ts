/**
 * In-place discrete Fourier transform X_k = Σ_j x_j e^(∓2πijk/N) of N = 2^m complex numbers, iterative radix 2.
 * `inverse` also divides by N. O(N log N); twiddle factors are computed directly, not by recurrence, so the
 * relative error (root mean square) stays near 10⁻¹⁶·log₂N.
 */
export function fft(real: Float64Array, imaginary: Float64Array, inverse: boolean): void {
  const n = real.length;
  if (n < 2 || (n & (n - 1)) !== 0 || imaginary.length !== n)
    throw new RangeError(`The transform needs a power of two ≥ 2 of complex numbers; got ${n}.`);
  bitReversal(real, imaginary);
  const { cosines, sines } = twiddles(n);
  const sign = inverse ? 1 : -1;
  for (let half = 1; half < n; half *= 2) {
    const stride = n / (2 * half);
    for (let start = 0; start < n; start += 2 * half) {
      for (let k = 0, t = 0; k < half; k++, t += stride) {
        const c = cosines[t];
        const s = sign * sines[t];
        const a = start + k;
        const b = a + half;
        const re = real[b] * c - imaginary[b] * s;
        const im = real[b] * s + imaginary[b] * c;
        real[b] = real[a] - re;
        imaginary[b] = imaginary[a] - im;
        real[a] += re;
        imaginary[a] += im;
      }
    }
  }
  if (!inverse) return;
  for (let i = 0; i < n; i++) {
    real[i] /= n;
    imaginary[i] /= n;
  }
}

function bitReversal(real: Float64Array, imaginary: Float64Array): void {
  const n = real.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    const re = real[i];
    real[i] = real[j];
    real[j] = re;
    const im = imaginary[i];
    imaginary[i] = imaginary[j];
    imaginary[j] = im;
  }
}

let cached: { n: number; cosines: Float64Array; sines: Float64Array } | undefined;
function twiddles(n: number): { cosines: Float64Array; sines: Float64Array } {
  if (cached?.n !== n) {
    const cosines = new Float64Array(n / 2);
    const sines = new Float64Array(n / 2);
    for (let k = 0; k < n / 2; k++) {
      cosines[k] = Math.cos((2 * Math.PI * k) / n);
      sines[k] = Math.sin((2 * Math.PI * k) / n);
    }
    cached = { n, cosines, sines };
  }
  return cached;
}
