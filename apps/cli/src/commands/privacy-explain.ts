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
      const { strengthSentence } = await import('@hushrec/model/words');
      privacy.promisedDelta(delta);
      const gaussian = delta > 0 ? gaussianPart(privacy, epsilon, delta) : null;
      const attacks = falseAlarmRates.map((falseAlarms, at) => ({
        falseAlarms,
        detection: privacy.largestDetection(epsilon, delta, falseAlarms),
        gaussianDetection: gaussian?.detections[at] ?? null,
      }));
      const posterior = privacy.largestPosterior(epsilon, 0.5);
      const pair = gaussian?.pair ?? 2 * epsilon; // without δ the ε of a group is the sum of its people's
      return {
        json: {
          epsilon,
          delta,
          mu: gaussian?.mu ?? null,
          posterior,
          attacks,
          curve: gaussian?.curve ?? [],
          groupOfTwo: pair,
        },
        text: [
          `(ε = ${epsilon}, δ = ${deltaText(delta)}): ${strengthSentence(epsilon)}`,
          '',
          `Someone who thinks it 50% likely that a given person took part can become at most ${percent(posterior)} sure`,
          `(except for an event of probability δ). To be right about who took part:`,
          ...attacks.map(
            ({ falseAlarms, detection, gaussianDetection }) =>
              `  with ${percent(falseAlarms)} false alarms they catch at most ${percent(detection)}` +
              (gaussianDetection === null
                ? ''
                : `; with Gaussian noise at most ${percent(gaussianDetection)}`),
          ),
          '',
          ...(gaussian === null
            ? ['Gaussian noise has no guarantee with δ = 0; Laplace noise does.']
            : [
                `Gaussian noise of this strength has μ = ${digits(gaussian.mu)}. The same noise also means:`,
                ...gaussian.curve.map((point) => `  ε = ${point.epsilon} at δ = ${deltaText(point.delta)}`),
              ]),
          `Two people together are protected with ε = ${pair} at the same δ.`,
        ].join('\n'),
      };
    },
  });
}

/** How often an attacker says of somebody who did not take part that they did. */
const falseAlarmRates = [0.001, 0.01, 0.1];

/** What the Gaussian noise that meets (ε, δ) promises besides. There is none where δ = 0. */
function gaussianPart(privacy: typeof import('@hushrec/privacy'), epsilon: number, delta: number) {
  const mu = privacy.muFor(epsilon, delta);
  return {
    mu,
    detections: falseAlarmRates.map((rate) => privacy.largestGaussianDetection(mu, rate)),
    curve: [1e-3, 1e-5, 1e-7, 1e-9].map((each) => ({
      delta: each,
      epsilon: privacy.roundUpEpsilon(privacy.gaussianEpsilon(mu, each)),
    })),
    pair: privacy.roundUpEpsilon(privacy.groupEpsilon(mu, 2, delta)),
  };
}

const percent = (share: number): string => `${Number((100 * share).toPrecision(4))}%`;
