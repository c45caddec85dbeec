import { z } from '@hono/zod-openapi';
import type {
  Answers,
  ModelSummary,
  PlanPreview,
  PlanRequest,
  Run,
  RunRequest,
} from '@hushrec/page/contract';
import { runStatuses } from '../state/run.js';
import { ofContract } from './of-contract.js';

/** Shapes of the HTTP interface; the OpenAPI description is made from them. */

/** Names of model folders and of data sets: no separators, no leading dot. */
export const folderName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
    'letters, digits, dot, dash and underscore, starting with a letter or digit',
  );

export const problemSchema = z
  .object({ status: z.number(), title: z.string(), detail: z.string() })
  .openapi('Problem');

const noiseOverSignal = z.object({ head: z.number().nullable(), tail: z.number().nullable() });
const usefulnessSchema = z.object({
  items: z.number().int(),
  itemsAboveNoise: z.number().int(),
  counts: noiseOverSignal,
  vectors: noiseOverSignal.optional(),
  verdict: z.enum(['worth-it', 'weak', 'same-for-all', 'too-noisy']),
  needed: z.number(),
  neededRange: z.object({ low: z.number(), high: z.number().nullable() }).optional(),
});

export const modelSummarySchema = ofContract<ModelSummary>()(
  z
    .object({
      id: z.string(),
      hash: z.string().openapi({
        description: 'Of its certificate: `/models/{id}/@{hash}/{file}` is of this model and of no other.',
      }),
      method: z.string(),
      unit: z
        .string()
        .openapi({ description: 'Who is protected: user, rating-presence, rating-value or none.' }),
      relation: z.string(),
      epsilon: z
        .number()
        .nullable()
        .openapi({ description: 'Rounded up; null where there is no finite guarantee.' }),
      delta: z.number(),
      simulation: z.boolean().openapi({ description: 'True when a seed was used: nothing is protected.' }),
      signed: z.boolean(),
      kind: z.string(),
      feedback: z.enum(['explicit', 'implicit']),
      items: z.number().int(),
      rank: z.number().int().nullable(),
      scale: z.object({ min: z.number(), max: z.number(), step: z.number() }).nullable(),
      account: z.string().openapi({ description: 'Random id of the ledger account it was charged to.' }),
      ledgerEntry: z
        .string()
        .nullable()
        .openapi({ description: 'Hash of the ledger entry that paid for it; null where none was kept.' }),
      usefulness: usefulnessSchema.nullable().openapi({
        description:
          'Whether there is more than noise in it, from released numbers; null where that is not known.',
      }),
      bytes: z.number().int(),
      publishedAt: z.string(),
      isPublishedNow: z
        .boolean()
        .openapi({ description: 'The operator named it as the one that is published now.' }),
      files: z.record(z.string(), z.string()).openapi({ description: 'File names and their entity tags.' }),
      metrics: z.record(z.string(), z.unknown()).nullable(),
    })
    .openapi('Model'),
);

export const modelListSchema = ofContract<Answers['/api/models']>()(
  z
    .object({
      models: z.array(modelSummarySchema),
      broken: z.array(z.object({ id: z.string(), problem: z.string() })),
    })
    .openapi('Models'),
);

export const itemListSchema = z
  .object({ items: z.array(z.object({ id: z.string(), title: z.string() })), total: z.number().int() })
  .openapi('Items');

export const similarItemsSchema = z
  .object({
    items: z.array(z.object({ id: z.string(), title: z.string().optional(), similarity: z.number() })),
    tooNoisy: z.boolean(),
  })
  .openapi('SimilarItems');

export const datasetListSchema = ofContract<Answers['/api/datasets']>()(
  z
    .object({
      datasets: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          people: z.number().int(),
          items: z.number().int(),
          ratings: z.number().int(),
          scale: z.object({ min: z.number(), max: z.number(), step: z.number() }),
          contentHash: z.string(),
          counted: z
            .array(
              z.object({
                model: z.string(),
                feedback: z.enum(['ratings', 'likes']),
                parts: z.array(z.number()),
                people: z.object({ about: z.number(), error: z.number() }).nullable(),
                error: z.number(),
              }),
            )
            .openapi({
              description:
                'What the latest models of these people released of how often titles were rated: weighted counts of equal parts of the catalogue, noise taken out.',
            }),
        }),
      ),
    })
    .openapi('Datasets'),
);

const settingValue = z.union([z.string().max(200), z.number(), z.boolean()]);

const planHashSchema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'the `hash` of a plan, from POST /api/plans')
  .openapi({ description: 'Hash of the plan that was shown. A run with another plan is refused.' });

export const runRequestSchema = ofContract<RunRequest>()(
  z
    .object({
      plan: planHashSchema,
      dataset: folderName,
      method: z.string().regex(/^[a-z][a-z0-9-]{0,40}$/),
      epsilon: z.number().positive().max(1e6).optional(),
      delta: z.number().positive().lt(1).optional(),
      settings: z.record(z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,60}$/), settingValue).default({}),
      liked: z.number().min(-1e6).max(1e6).optional().openapi({
        description: 'Learn choices, not stars: ratings of at least this much, without their value.',
      }),
      goal: z.enum(['rank', 'stars']).optional().openapi({
        description:
          'What the model is for: lists (rank) or predicted ratings (stars); lists for hush unless given, others as they learn.',
      }),
      evaluate: z.boolean().optional().openapi({
        description:
          'Measure quality afterwards, by training once more on a part of the data as a simulation.',
      }),
      recordUnprotected: z.boolean().optional().openapi({
        description:
          'Make a run without a finite cost although the account has a budget, and write that down in the ledger.',
      }),
      publishFrom: z.number().int().min(0).max(1e9).optional().openapi({
        description:
          'Publish only if at least so many titles stand out from the noise, by released numbers; otherwise it waits for an operator.',
      }),
      model: folderName.openapi({ description: 'Name of the model folder to write; must not exist.' }),
    })
    .strict()
    .openapi('RunRequest'),
);

export const planRequestSchema = ofContract<PlanRequest>()(
  runRequestSchema
    .omit({ plan: true, evaluate: true, recordUnprotected: true, publishFrom: true })
    .openapi('PlanRequest'),
);

export const runSchema = ofContract<Run>()(
  z
    .object({
      id: z.string(),
      request: runRequestSchema.partial({ plan: true }),
      status: z.enum(runStatuses),
      startedBy: z
        .string()
        .nullable()
        .openapi({ description: 'The name beside the token that started it: for operators only.' }),
      published: z
        .boolean()
        .nullable()
        .openapi({ description: 'False where the model waits for an operator; null before it is made.' }),
      createdAt: z.string(),
      startedAt: z.string().nullable(),
      endedAt: z.string().nullable(),
      progress: z
        .object({
          stage: z.string(),
          done: z.number(),
          total: z.number(),
          live: z
            .object({
              releases: z.array(z.string()).readonly(),
              seconds: z.array(z.number()).readonly().optional(),
              items: z.number().optional(),
              itemsAboveNoise: z.number().optional(),
              fifths: z.array(z.number().nullable()).readonly().optional(),
            })
            .optional()
            .openapi({ description: 'What was released so far, and how much of it is more than noise.' }),
        })
        .nullable(),
      result: z.record(z.string(), z.unknown()).nullable(),
      quality: z
        .record(z.string(), z.unknown())
        .nullable()
        .openapi({ description: 'Exact numbers about people: for operators only, null for others.' }),
      error: z.string().nullable(),
    })
    .openapi('Run'),
);

export const runListSchema = ofContract<Answers['/api/runs']>()(
  z.object({ runs: z.array(runSchema) }).openapi('Runs'),
);

export const planSchema = ofContract<PlanPreview>()(
  z
    .object({
      hash: planHashSchema,
      method: z.string(),
      title: z.string(),
      unit: z.string(),
      relation: z.string(),
      epsilon: z.number().nullable(),
      delta: z.number(),
      accountant: z.string(),
      words: z.array(z.string()).openapi({ description: 'The guarantee in sentences.' }),
      releases: z.array(
        z.object({
          name: z.string(),
          mechanism: z.string(),
          sensitivity: z.number(),
          noise: z.number(),
          count: z.number(),
        }),
      ),
      settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
      budget: z
        .object({
          granted: z.number().nullable(),
          spent: z.number().nullable(),
          after: z.number().nullable(),
          delta: z.number(),
          own: z.number().nullable(),
        })
        .nullable()
        .openapi({
          description:
            'ε of the data set over all runs at the account’s δ: the limit, spent so far, with this run, and of it alone.',
        }),
      isUnprotected: z.boolean().openapi({
        description: 'A budget is set in which this run has no finite cost: it needs `recordUnprotected`.',
      }),
    })
    .openapi('Plan'),
);
