import { basename, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { addCommand, type CommandContext, integerOption, OptionError, type Outcome } from '../command.js';

interface GenerateOptions {
  readonly recipe: 'catalogue' | 'classics' | 'dpals';
  readonly people?: number;
  readonly items?: number;
  readonly ratings?: number;
  readonly seed: number;
  readonly overwrite?: boolean;
}

/** Sizes at which privacy visibly costs something and visibly works. */
const defaultSizes = {
  catalogue: { people: 20_000, items: 1_500, ratings: 2_000_000 },
  classics: { people: 20_000, items: 341, ratings: 1_200_000 },
  dpals: { people: 20_000, items: 1_000, ratings: undefined },
} as const;

export function registerGenerate(program: Command): void {
  addCommand<GenerateOptions>(program, {
    usage: 'generate <dir>',
    summary: 'make a synthetic data set',
    examples: [
      'hushrec generate sample',
      'hushrec generate books-and-films --recipe classics',
      'hushrec generate big --people 70000 --items 10000 --ratings 10000000 --seed 2',
    ],
    fields: ['dataset', 'recipe', 'people', 'users', 'items', 'ratings', 'contentHash'],
    configure: (command) =>
      command
        .addOption(
          new Option(
            '--recipe <recipe>',
            'catalogue: half-star ratings with popular and rare items, tastes, features and times; classics: invented people, real titles (341 books and films in the public domain); dpals: Chien et al. 2021, section 6.1',
          )
            .choices(['catalogue', 'classics', 'dpals'])
            .default('catalogue'),
        )
        .option('--people <n>', 'how many people (20000); also --users', integerOption('people', 2))
        .option(
          '--items <n>',
          'how many items (1500; classics: at most 341; dpals 1000)',
          integerOption('items', 2),
        )
        .option(
          '--ratings <n>',
          'how many ratings (2000000; classics 1200000; dpals: 20 ln(people) a person)',
          integerOption('ratings', 1),
        )
        .option('--seed <n>', 'the same seed makes the same data', integerOption('seed', 0), 1)
        .option('--overwrite', 'replace an existing data set'),
    run: ([directory], options, context) => generate(directory, options, context),
  });
}

async function generate(
  directory: string,
  options: GenerateOptions,
  { signal, progress }: CommandContext,
): Promise<Outcome> {
  const { generateCatalogue, generateClassics, generateDpals, writeDataset } = await import(
    '@hushrec/ratings'
  );
  const sizes = defaultSizes[options.recipe];
  const people = options.people ?? sizes.people;
  const items = options.items ?? sizes.items;
  const ratings = options.ratings ?? sizes.ratings;
  progress({ stage: 'generating', done: 0, total: 2 });
  const make = () => {
    try {
      const size = { users: people, items, seed: options.seed };
      if (options.recipe !== 'dpals') {
        const recipe = options.recipe === 'catalogue' ? generateCatalogue : generateClassics;
        return recipe({ ...size, ratings: ratings ?? people * 100 });
      }
      return generateDpals({
        ...size,
        ...(ratings !== undefined && { density: Math.min(1, ratings / (people * items)) }),
      });
    } catch (error) {
      throw error instanceof RangeError ? new OptionError(error.message) : error;
    }
  };
  const content = make();
  progress({ stage: 'writing', done: 1, total: 2 });
  const named = { ...content, name: basename(resolve(directory)) };
  const manifest = await writeDataset(directory, named, {
    overwrite: options.overwrite === true,
    signal,
  });
  return {
    json: {
      dataset: directory,
      recipe: options.recipe,
      people: manifest.people,
      users: manifest.people, // what programs that read this call it
      items: manifest.items,
      ratings: manifest.ratings,
      contentHash: manifest.contentHash,
    },
    text: `${directory}: ${manifest.people} people, ${manifest.items} items, ${manifest.ratings} ratings (recipe ${options.recipe}, seed ${options.seed}).`,
  };
}
