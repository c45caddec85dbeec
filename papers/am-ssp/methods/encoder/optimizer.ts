/** Moves parameters against a gradient; keeps what it needs between steps. */
export interface Optimizer {
  step(parameters: Float32Array, gradient: Float32Array): void;
}

/** θ ← θ − η g. */
export function gradientDescent(learningRate: number): Optimizer {
  return {
    step(parameters, gradient) {
      for (let at = 0; at < parameters.length; at++) parameters[at] -= learningRate * gradient[at];
    },
  };
}

/**
 * Adam (Kingma & Ba 2015, Algorithm 1) with their constants β₁ = 0.9, β₂ = 0.999, ε = 1e-8; `decay` shrinks
 * parameters by η·decay each step (decoupled, Loshchilov & Hutter 2019).
 */
export function adam(learningRate: number, size: number, decay = 0): Optimizer {
  const mean = new Float32Array(size);
  const square = new Float32Array(size);
  let steps = 0;
  return {
    step(parameters, gradient) {
      steps++;
      const rate = learningRate * (Math.sqrt(1 - 0.999 ** steps) / (1 - 0.9 ** steps));
      const keep = 1 - learningRate * decay;
      for (let at = 0; at < size; at++) {
        const g = gradient[at];
        const m = 0.9 * mean[at] + 0.1 * g;
        const s = 0.999 * square[at] + 0.001 * g * g;
        mean[at] = m;
        square[at] = s;
        parameters[at] = keep * parameters[at] - (rate * m) / (Math.sqrt(s) + 1e-8);
      }
    },
  };
}
