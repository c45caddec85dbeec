/*
 * The user step on OpenBLAS without an interpreter in the loop, one person after the other: gather, then the smaller of two systems. With X the
 * rows √w x and y the √w targets: (XᵀX + ρI)⁻¹Xᵀy by ssyrk and sposv where there are at least as many ratings as dimensions (or `dual` is 0),
 * Xᵀ(XXᵀ + ρI)⁻¹y elsewhere.
 */
#include <math.h>
#include <stdint.h>

typedef void (*syrk)(const char *, const char *, const int *, const int *, const float *, const float *, const int *, const float *, float *, const int *);
typedef void (*posv)(const char *, const int *, const int *, float *, const int *, float *, const int *, int *);

void user_step(syrk ssyrk, posv sposv, const float *fixed, int d, int users, const uint32_t *offsets, const uint32_t *indices,
               const float *targets, const float *weights, float ridge, int dual, float *panel, float *matrix, float *alpha, float *out) {
  const float one = 1, zero = 0;
  const int single = 1;
  for (int u = 0; u < users; u++) {
    const int n = (int)(offsets[u + 1] - offsets[u]);
    float *b = out + (long)u * d;
    int info = 0;
    for (int c = 0; c < d; c++) b[c] = 0;
    if (n == 0) continue;
    const int small = dual && n < d;
    for (int k = 0; k < n; k++) {
      const uint32_t e = offsets[u] + k;
      const float *x = fixed + (long)indices[e] * d;
      const float root = sqrtf(weights[e]), y = root * targets[e];
      float *row = panel + (long)k * d;
      if (small) {
        for (int c = 0; c < d; c++) row[c] = root * x[c];
        alpha[k] = y;
      } else {
        for (int c = 0; c < d; c++) {
          row[c] = root * x[c];
          b[c] += y * row[c];
        }
      }
    }
    if (small) {
      ssyrk("U", "T", &n, &d, &one, panel, &d, &zero, matrix, &n);
      for (int k = 0; k < n; k++) matrix[(long)k * n + k] += ridge;
      sposv("U", &n, &single, matrix, &n, alpha, &n, &info);
      for (int k = 0; k < n; k++) {
        const float *row = panel + (long)k * d;
        for (int c = 0; c < d; c++) b[c] += alpha[k] * row[c];
      }
    } else {
      ssyrk("U", "N", &d, &n, &one, panel, &d, &zero, matrix, &d);
      for (int c = 0; c < d; c++) matrix[(long)c * d + c] += ridge;
      sposv("U", &d, &single, matrix, &d, b, &d, &info);
    }
  }
}
