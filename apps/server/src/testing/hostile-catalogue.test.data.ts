import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { metricsBeside } from '@hushrec/model/folder';
import { encodeMetrics } from '@hushrec/model/making';
import { SeededRandom } from '@hushrec/ratings';
import { writeModelFolder } from '../../../../packages/train/dist/publish/write-folder.js';
import { metrics, statement } from './sample-models.test.data.js';

/**
 * Titles that break layouts: long, without a space, right to left, without words, in symbols, of one name.
 */
const titles = [
  'Dr. Strangelove or: How I Learned to Stop Worrying and Love the Bomb, and What Came After It (1964)',
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft (1996)',
  'فيلم طويل عن الحب والحرب والسفر إلى البحر الأبيض المتوسط (1987)',
  'אסקימו לימון',
  'The Phantom of the Opera (1910)',
  'The Phantom of the Opera (1925)',
  '千と千尋の神隠し (2001)',
  '기생충과 아주 길고 긴 제목을 가진 또 다른 영화 (2019)',
  '👨‍👩‍👧‍👦🎬🔥🏳️‍🌈💥🐉 (2020)',
  'Příliš žluťoučký kůň úpěl ďábelské ódy (2010)',
  'Đường lên đỉnh Olympia',
  'Matrix, The (1999)',
  'Misérables, Les (1935)',
  '<b>Bold</b> & "Quoted" <script>',
  'M (1931)',
  '2001',
  'A‏ mixed عنوان inside (1999)',
  'W'.repeat(60),
];

/** 60 characters that fit nowhere. */
export const longName = (number: number) =>
  `weekly-recommendations-of-the-whole-northern-region-v${String(number).padStart(3, '0')}-eps`
    .slice(0, 60)
    .padEnd(60, 'x');

/**
 * One catalogue that is as hard to lay out as those of real shops: 30 models with names of 60 characters at
 * as many ε, and, where asked for, two of 100,000 titles.
 */
export async function writeHostileModels(directory: string): Promise<void> {
  for (let number = 0; number < 30; number++) {
    // From ε of thousands to ε of a hundredth; the last two are without privacy.
    const multiplier = number < 28 ? 0.05 * 1.35 ** number : 0;
    await writeHostileModel(join(directory, longName(number)), { items: 400, multiplier, seed: number });
  }
  for (const multiplier of [0, 4])
    await writeHostileModel(join(directory, `large-${multiplier}`), { items: 100_000, multiplier, seed: 99 });
}

/** One model with such titles. */
export async function writeHostileModel(
  folder: string,
  { items, multiplier, seed }: { items: number; multiplier: number; seed: number },
): Promise<void> {
  const random = new SeededRandom(seed);
  const rank = 12;
  const { certificate } = await writeModelFolder(folder, {
    manifest: {
      format: 'hushrec-model-2',
      method: multiplier === 0 ? 'als' : 'dpals',
      settings: { rank },
      scale: { min: 0.5, max: 5, step: 0.5 },
      itemIds: Array.from({ length: items }, (_, item) =>
        items > 1000 ? `item-${item}` : `${'hostile-'.repeat(6)}${item}`,
      ),
      titles: Array.from({ length: items }, (_, item) =>
        item < titles.length ? titles[item] : `${titles[item % titles.length]} ${item}`,
      ),
      versions: { hushrec: '0.1.0' },
    },
    model: {
      kind: 'factors',
      feedback: 'explicit',
      rank,
      itemFactors: Float32Array.from({ length: items * rank }, () => random.normal()),
      itemBias: new Float32Array(items),
      popularity: Float32Array.from({ length: items }, (_, item) => items - item),
      offset: 3.5,
      foldIn: { ridge: 0.5, ridgeExponent: 0, unobservedWeight: 0 },
    },
    certificate: {
      ...statement(multiplier),
      // Titles of one account are one catalogue.
      account: (items > 1000 ? 'f' : 'e').repeat(32),
      ...(multiplier > 0 && {
        usefulness: {
          items,
          itemsAboveNoise: Math.round(items * Math.exp(-multiplier / 20)),
          counts: { head: 0.1 * multiplier, tail: 0.4 * multiplier },
          verdict: multiplier < 5 ? ('worth-it' as const) : ('weak' as const),
          needed: 12_345_678,
        },
      }),
    },
  });
  if (items > 1000) return;
  writeFileSync(
    multiplier === 0 ? join(folder, 'metrics.json') : metricsBeside(folder),
    await encodeMetrics(certificate.hash, metrics(multiplier)),
  );
}
