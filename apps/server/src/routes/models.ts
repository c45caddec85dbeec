import { createRoute, z } from '@hono/zod-openapi';
import { fileNames } from '@hushrec/model';
import { NoLikenessError, UnknownItemError } from '@hushrec/recommend';
import type { Context } from 'hono';
import { searchItems } from '../catalogue/item-search.js';
import { atHash, type ModelEntry } from '../catalogue/model-catalogue.js';
import type { ModelSummary } from '../catalogue/model-summary.js';
import { similarTo } from '../catalogue/similar-to.js';
import { fileResponse } from '../file-response.js';
import { ProblemError } from '../problem.js';
import type { Role } from '../protection/access.js';
import { dayOf } from '../protection/day-of.js';
import { publicAccounts } from '../protection/public-data.js';
import type { App, AppEnvironment, ServerContext } from '../server-context.js';
import { json, problem } from './responses.js';
import {
  folderName,
  itemListSchema,
  modelListSchema,
  modelSummarySchema,
  similarItemsSchema,
} from './schemas.js';

const params = z.object({ model: folderName });

const list = createRoute({
  method: 'get',
  path: '/api/models',
  summary: 'Published models with their guarantees',
  description:
    'Viewers get models that protect someone. Models without a guarantee, and simulations, are for operators unless their data is public.',
  responses: { 200: json(modelListSchema, 'All models, and folders that are not whole models.') },
});
const one = createRoute({
  method: 'get',
  path: '/api/models/{model}',
  summary: 'One model',
  request: { params },
  responses: { 200: json(modelSummarySchema, 'The model.'), 404: problem('There is no such model.') },
});
const certificate = createRoute({
  method: 'get',
  path: '/api/models/{model}/certificate',
  summary: 'The certificate: who is protected, by how much, and every release',
  request: { params },
  responses: {
    200: json(z.record(z.string(), z.unknown()), '`certificate.json`.'),
    404: problem('There is no such model.'),
  },
});
const items = createRoute({
  method: 'get',
  path: '/api/models/{model}/items',
  summary: 'Search the catalogue by title',
  description:
    'For programs and administrators. A search shows interest, so the page and the client library search the model’s own titles on the device and never call this.',
  request: {
    params,
    query: z.object({
      q: z.string().max(200).default(''),
      limit: z.coerce.number().int().min(1).max(200).default(20),
    }),
  },
  responses: { 200: json(itemListSchema, 'Matching items.'), 404: problem('There is no such model.') },
});

/** A query parameter that may be given several times. */
const several = z.preprocess(
  (value) => (value === undefined ? undefined : [value].flat()),
  z.array(z.string().max(1000)).max(1000).optional(),
);

const similar = createRoute({
  method: 'get',
  path: '/api/models/{model}/similar',
  summary: 'Items like one item, from the model alone',
  description:
    'For programs: it takes nobody’s history. What somebody looks at shows interest, so a page asks the model on the device (`similar` of the client library) and never calls this.',
  request: {
    params,
    query: z.object({
      item: z.string().max(1000),
      limit: z.coerce.number().int().min(1).max(200).default(20),
      only: several.openapi({ description: 'Items to choose from; repeat it for each. All unless given.' }),
      exclude: several.openapi({ description: 'Items to leave out; repeat it for each.' }),
    }),
  },
  responses: {
    200: json(similarItemsSchema, 'Most alike first.'),
    404: problem('There is no such model, or it has no such item.'),
    409: problem('The model does not say which items are alike.'),
  },
});

/** Models: what is known of them, and their files for anyone who may read. */
export function modelRoutes(app: App, context: ServerContext): void {
  const seen = visibleModels(context);
  answerRoutes(app, context, seen);
  fileRoutes(app, context, seen);
}

/** The models that a caller may see: of others they are not told that they are there. */
function visibleModels(context: ServerContext) {
  const visibleOf = async (c: Context<AppEnvironment>, entries: readonly ModelEntry[]) => {
    if (c.get('role') === 'operator' || entries.every(({ summary }) => protectsSomeone(summary)))
      return entries;
    const isPublic = await publicAccounts(context);
    return entries.filter(({ summary }) => protectsSomeone(summary) || isPublic(summary.account));
  };
  const visible = async (c: Context<AppEnvironment>, id: string): Promise<ModelEntry | undefined> => {
    const entry = await context.models.get(id);
    return entry && (await visibleOf(c, [entry]))[0];
  };
  const find = async (c: Context<AppEnvironment>, id: string): Promise<ModelEntry> => {
    const entry = await visible(c, id);
    if (entry === undefined) throw noModel();
    return entry;
  };
  return { visibleOf, visible, find };
}
type VisibleModels = ReturnType<typeof visibleModels>;

function answerRoutes(app: App, context: ServerContext, { visibleOf, find }: VisibleModels): void {
  app.openapi(list, async (c) => {
    const entries = await visibleOf(c, [...(await context.models.entries()).values()]);
    return c.json(
      {
        models: entries.map(({ summary }) => shownTo(c.get('role'), summary)),
        broken: [...(await context.models.broken())],
      },
      200,
    );
  });
  app.openapi(one, async (c) => {
    const { summary } = await find(c, c.req.valid('param').model);
    return c.json(shownTo(c.get('role'), summary), 200);
  });
  app.openAPIRegistry.registerPath(certificate);
  app.on(['GET', 'HEAD'], '/api/models/:model/certificate', async (c) => {
    const { summary } = await find(c, c.req.param('model'));
    const file = await context.models.file(summary.id, fileNames.certificate);
    if (file === undefined) throw noModel();
    return fileResponse(c.req.raw, file);
  });
  app.openapi(items, async (c) => {
    const entry = await find(c, c.req.valid('param').model);
    const { q, limit } = c.req.valid('query');
    return c.json({ items: searchItems(entry.items, q, limit), total: entry.items.length }, 200);
  });
  app.openapi(similar, async (c) => {
    const entry = await find(c, c.req.valid('param').model);
    const { item, limit, only, exclude } = c.req.valid('query');
    try {
      const choice = { k: limit, ...(only && { only }), ...(exclude && { exclude }) };
      const { items: found, tooNoisy } = await similarTo(entry, item, choice);
      return c.json({ items: [...found], tooNoisy }, 200);
    } catch (error) {
      if (error instanceof UnknownItemError)
        throw new ProblemError(404, 'No such item.', 'GET /api/models/{model}/items lists them.');
      if (error instanceof NoLikenessError) throw new ProblemError(409, 'No likeness.', error.message);
      throw error;
    }
  });
}

function fileRoutes(app: App, context: ServerContext, { visibleOf, visible }: VisibleModels): void {
  app.on(['GET', 'HEAD'], '/models/:model/:file', async (c) => {
    const entry = await visible(c, c.req.param('model'));
    const file = entry && (await context.models.file(entry.summary.id, c.req.param('file')));
    if (file === undefined) {
      throw new ProblemError(404, 'No such file.', 'A model’s files are listed by GET /api/models/{model}.');
    }
    return fileResponse(c.req.raw, file);
  });
  app.on(['GET', 'HEAD'], '/models/:model/:version{@[0-9a-f]+}/:file', async (c) => {
    const { model, version, file: name } = c.req.param();
    const entry = await context.models.byHash(model, version.slice(1));
    const file = entry && (await visibleOf(c, [entry]))[0]?.files.get(name);
    if (file === undefined)
      throw new ProblemError(
        404,
        'No such file.',
        'GET /api/models/{model} names the hash of the model that is live.',
      );
    return fileResponse(c.req.raw, atHash(name, file));
  });
}

/** A model without a guarantee, or from a seed that anyone may know, is as private as the ratings. */
function protectsSomeone({ epsilon, simulation }: ModelSummary): boolean {
  return epsilon !== null && !simulation;
}

/**
 * Metrics of a model that protects someone are a look at private ratings that no certificate covers: for
 * operators alone, as is the time at which training ended.
 */
function shownTo(role: Role | undefined, summary: ModelSummary): ModelSummary {
  if (role === 'operator') return summary;
  const publishedAt = dayOf(summary.publishedAt);
  return protectsSomeone(summary) ? { ...summary, publishedAt, metrics: null } : { ...summary, publishedAt };
}

function noModel(): ProblemError {
  return new ProblemError(404, 'No such model.', 'GET /api/models lists them.');
}
