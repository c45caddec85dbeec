import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = [
  'README.md',
  'PRIVACY.md',
  ...readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const order = /\b(?:beats?|ahead of|behind|better than|worse than|outperforms?|wins?|loses? to)\b/;
const method =
  /\b(?:hush|dpals|dp-cmf|am-ssp|am-dpsgd|dp-sgd|dp-svd|dp-fw|dpimf|ldpicf|dplcf|dpmf|i?als|sgd|ssp-[ci]|popularity|frank–wolfe|perturbation|neighbours|averages)\b/i;
/** A command, or the name of an experiment on a page that says that such names are run by `reproduce`. */
const command = /`(?:hushrec [a-z]|npm run |npx vitest |[a-z0-9-]+\/[a-z0-9-]+`)/;

/** Sentences that order methods, in sections that name no command. */
function unproved(text: string): string[] {
  return text
    .split(/^(?=#{2,3} )/m)
    .filter((section) => !command.test(section))
    .flatMap((section) => section.split(/(?<=[.;:|])\s|\n\n/))
    .filter((sentence) => order.test(sentence) && method.test(sentence));
}

describe('the order of methods', () => {
  it('is found where it is stated', () => {
    const claim = 'As expected, DPALS beats Frank–Wolfe.';
    expect(unproved(`# Page\n\nIntroduction.\n\n## Section\n\n${claim} Else nothing.\n`)).toEqual([claim]);
    expect(unproved(`## Section\n\n${claim} See \`hushrec reproduce dpals/top-400\`.\n`)).toEqual([]);
    expect(unproved(`## Section\n\n${claim}\n\n## Other\n\n\`hushrec reproduce all\`\n`)).toEqual([claim]);
  });

  it.each(pages)('is stated in %s only beside a command that measures it', (page) => {
    expect(unproved(readFileSync(root + page, 'utf8'))).toEqual([]);
  });
});
