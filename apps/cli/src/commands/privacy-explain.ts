import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { deltaText } from '../number-text.js';
import { digits, withTarget } from '../privacy-target.js';

interface ExplainOptions {
  readonly epsilon: number;
  readonly delta: number;
}

export function registerExplain(group: Command): void {
  addCommand<ExplainOptions>(group, {
    usage: 'explain',
    summary: 'what (ε, δ) promises to a person, in words and numbers',
    examples: [
      'hushrec privacy explain --epsilon 1 --delta 1e-5',
      'hushrec privacy explain --epsilon 8 --json',
    ],
    fields: ['epsilon', 'delta', 'mu', 'posterior', 'attacks', 'curve', 'groupOfTwo'],
    configure: withTarget,
    run: async (_args, { epsilon, delta }) => {
      const privacy = await import('@hushrec/privacy');
      const model = await import('@hushrec/model');
      const mu = privacy.muFor(epsilon, delta);
      const attacks = [0.001, 0.01, 0.1].map((falseAlarms) => ({
        falseAlarms,
        detection: privacy.largestDetection(epsilon, delta, falseAlarms),
        gaussianDetection: privacy.largestGaussianDetection(mu, falseAlarms),
      }));
      const curve = [1e-3, 1e-5, 1e-7, 1e-9].map((each) => ({
        delta: each,
        epsilon: privacy.roundUpEpsilon(privacy.gaussianEpsilon(mu, each)),
      }));
      const posterior = privacy.largestPosterior(epsilon, 0.5);
      const pair = privacy.roundUpEpsilon(privacy.groupEpsilon(mu, 2, delta));
      return {
        json: { epsilon, delta, mu, posterior, attacks, curve, groupOfTwo: pair },
        text: [
          `(ε = ${epsilon}, δ = ${deltaText(delta)}): ${model.strengthSentence(epsilon)}`,
          '',
          `Someone who thinks it 50 % likely that a given person took part can become at most ${percent(posterior)} sure`,
          `(except for an event of probability δ). To be right about who took part:`,
          ...attacks.map(
            ({ falseAlarms, detection, gaussianDetection }) =>
              `  with ${percent(falseAlarms)} false alarms they catch at most ${percent(detection)}; with Gaussian noise at most ${percent(gaussianDetection)}`,
          ),
          '',
          `Gaussian noise of this strength has μ = ${digits(mu)}. The same noise also means:`,
          ...curve.map((point) => `  ε = ${point.epsilon} at δ = ${deltaText(point.delta)}`),
          `Two people together are protected with ε = ${pair} at the same δ.`,
        ].join('\n'),
      };
    },
  });
}

const percent = (share: number): string => `${Number((100 * share).toPrecision(4))} %`;
