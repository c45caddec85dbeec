import { OpenAPIHono } from '@hono/zod-openapi';
import type { Answers } from '@hushrec/page/contract';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { HTTPException } from 'hono/http-exception';
import { routePath } from 'hono/route';
import { isFullDisk, ProblemError, problemResponse } from './problem.js';
import { nameOf, roleOf } from './protection/access.js';
import { discardBody } from './protection/discard-body.js';
import { RateLimiter } from './protection/rate-limit.js';
import { addressOf, needsOperator } from './protection/require-role.js';
import { isOwnHost, isOwnRequest } from './protection/same-origin.js';
import { errorFields } from './request-log.js';
import { comparisonRoutes } from './routes/comparisons.js';
import { datasetRoutes } from './routes/datasets.js';
import { healthRoutes } from './routes/health.js';
import { ledgerRoutes } from './routes/ledger.js';
import { methodRoutes } from './routes/methods.js';
import { modelRoutes } from './routes/models.js';
import { pageRoutes } from './routes/page.js';
import { pictureRoutes } from './routes/pictures.js';
import { planRoutes } from './routes/plans.js';
import { runRoutes } from './routes/runs.js';
import { ShownPlans } from './routes/shown-plans.js';
import { takePartRoutes } from './routes/take-part.js';
import type { App, AppEnvironment, ServerContext } from './server-context.js';
import { StateLostError, StateUnavailableError } from './state/run-store.js';

/** No script, style, image or connection from anywhere but this server; no framing; no inline code. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const securityHeaders: readonly [string, string][] = [
  ['content-security-policy', contentSecurityPolicy],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['x-frame-options', 'DENY'],
  ['permissions-policy', 'camera=(), microphone=(), geolocation=(), browsing-topics=()'],
];

/**
 * The HTTP interface. Checks come in the order of their cost; a route sees only requests that passed all of
 * them.
 */
export function createApp(context: ServerContext): App {
  const app = new OpenAPIHono<AppEnvironment>({
    defaultHook: (result, c) =>
      result.success
        ? undefined
        : problemResponse(c, {
            status: 400,
            title: 'The request is not as described.',
            detail: result.error.issues
              .map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`)
              .join('; '),
          }),
  });
  observeRequests(app, context);
  sendSecurityHeaders(app, context);
  // A token is sent by scripts alone, so no other site can have answers made to measure their length.
  app.use('/api/*', compress({ contentTypeFilter: /^application\/json/ }));
  refuseForeignRequests(app, context);
  identifyCaller(app, context);
  limitRequests(app, context);
  authorizeCaller(app);

  const starts = new RateLimiter(context.limits.starts);
  healthRoutes(app, context);
  modelRoutes(app, context);
  methodRoutes(app);
  datasetRoutes(app, context);
  const shown = new ShownPlans();
  planRoutes(app, context, starts, shown);
  runRoutes(app, context, starts, shown);
  ledgerRoutes(app, context);
  comparisonRoutes(app, context);
  describeInterface(app, context);
  takePartRoutes(app, context);
  pictureRoutes(app, context);
  pageRoutes(app, context.site);

  answerFailures(app, context);
  return app;
}

/** Refusals in words. Of what failed in the server itself the log gets the kind of error, and its code. */
function answerFailures(app: App, { log }: ServerContext): void {
  app.notFound((c) =>
    problemResponse(c, { status: 404, title: 'Nothing is here.', detail: 'See /api/openapi.json.' }),
  );
  app.onError((error, c) => {
    if (error instanceof ProblemError) return problemResponse(c, error.problem);
    if (error instanceof HTTPException && error.status < 500) {
      return problemResponse(c, {
        status: error.status,
        title: 'The request cannot be read.',
        detail: error.message,
      });
    }
    log('failure', { ...errorFields(error), route: routePath(c, -1) }, 'error');
    if (error instanceof StateUnavailableError || error instanceof StateLostError)
      return problemResponse(c, {
        status: 503,
        title: 'The list of runs cannot be reached now.',
        detail: 'Its database does not answer. Nothing was begun; try again in a moment.',
      });
    if (isFullDisk(error))
      return problemResponse(c, {
        status: 507,
        title: 'The disk of this server is full.',
        detail: 'Nothing was begun. Ask its operator to make room, and try again.',
      });
    return problemResponse(c, {
      status: 500,
      title: 'The server failed.',
      detail: 'The log has the kind of error.',
    });
  });
}

/** Counts and logs every answer by the route's pattern, so that no identifier or query gets into either. */
function observeRequests(app: App, { metrics, log }: ServerContext): void {
  app.use(async (c, next) => {
    const begin = performance.now();
    await next();
    const seconds = (performance.now() - begin) / 1000;
    const pattern = routePath(c, -1);
    const route = c.res.status === 404 && (pattern === '*' || pattern === '/*') ? 'unknown' : pattern;
    const method = knownMethods.has(c.req.method) ? c.req.method : 'other';
    metrics.observe(method, route, c.res.status, seconds);
    log('request', { method, route, status: c.res.status, ms: Math.round(seconds * 1e5) / 100 });
  });
}
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']);

function sendSecurityHeaders(app: App, { allowedOrigins }: ServerContext): void {
  app.use(async (c, next) => {
    await next();
    const origin = c.req.header('origin');
    const mayShare =
      origin !== undefined && c.req.path.startsWith('/models/') && allowedOrigins.includes(origin);
    for (const [name, value] of securityHeaders) if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    c.res.headers.set('cross-origin-resource-policy', mayShare ? 'cross-origin' : 'same-origin');
    if (mayShare) {
      c.res.headers.set('access-control-allow-origin', origin);
      c.res.headers.append('vary', 'origin');
    }
    if (c.req.path.startsWith('/api/') && !c.res.headers.has('cache-control'))
      c.res.headers.set('cache-control', 'no-store');
  });
}

function refuseForeignRequests(app: App, { allowedHosts, allowedOrigins }: ServerContext): void {
  app.use(async (c, next) => {
    // Whoever watches the process asks by its address; there is nothing in the answer to protect.
    if (c.req.path === '/healthz' || c.req.path === '/readyz') return next();
    const origin = c.req.header('origin');
    const isShared =
      c.req.path.startsWith('/models/') && origin !== undefined && allowedOrigins.includes(origin);
    const isNavigation =
      c.req.method === 'GET' && c.req.path === '/' && c.req.header('sec-fetch-mode') === 'navigate';
    const headers = {
      host: c.req.header('host'),
      origin: isShared ? undefined : origin,
      fetchSite: isShared || isNavigation ? undefined : c.req.header('sec-fetch-site'),
    };
    if (!isOwnHost(headers.host, allowedHosts)) throw unknownHost(headers.host);
    if (!isOwnRequest(headers, allowedHosts)) {
      throw new ProblemError(
        403,
        'Requests from other sites are refused.',
        'Use the server’s own page or a program.',
      );
    }
    await next();
  });
}

/** Says which Host came: behind a proxy that is often not the one in the browser's address. */
function unknownHost(host: string | undefined): ProblemError {
  const seen = host === undefined ? 'no Host' : `Host “${host.slice(0, 100)}”`;
  return new ProblemError(
    403,
    'This server is not called by that name.',
    `The request came with ${seen}. Start the server with --host-name and that name, or let the proxy pass the browser’s Host on (nginx: proxy_set_header Host $http_host).`,
  );
}

function limitRequests(app: App, { limits }: ServerContext): void {
  const requests = new RateLimiter(limits.requests);
  app.use(async (c, next) => {
    if (!requests.take(`${c.get('role') ?? 'nobody'} ${addressOf(c)}`))
      throw new ProblemError(429, 'Too many requests.', 'Wait a few seconds.');
    await next();
  });
  const limitBody = bodyLimit({
    maxSize: limits.bodyBytes,
    onError: async (c) => {
      await discardBody(c.env?.incoming);
      throw new ProblemError(413, 'The body is too large.', `At most ${limits.bodyBytes} bytes are read.`);
    },
  });
  app.use((c, next) => (readingMethods.has(c.req.method) ? next() : limitBody(c, next)));
}

const readingMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Finds out who is asking. A right token is always heard, whatever else came from the same address: guessing
 * one is hopeless at any rate, since tokens have 16 characters or more, and keeping out everyone behind an
 * address is not. Wrong ones are counted, and refused without a word on whether they were wrong when there
 * are too many.
 */
function identifyCaller(app: App, { access, limits }: ServerContext): void {
  const wrongTokens = new RateLimiter(limits.wrongTokens);
  app.use(async (c, next) => {
    const authorization = c.req.header('authorization');
    const role = roleOf(access, authorization);
    if (role === 'refused') {
      if (!wrongTokens.take(addressOf(c)))
        throw new ProblemError(429, 'Too many wrong tokens.', 'Wait before trying again.');
      throw new ProblemError(401, 'This token is not valid.', 'Ask the operator of this server for one.');
    }
    c.set('role', role);
    c.set('name', nameOf(access, authorization));
    c.set('caller', authorization?.slice('Bearer '.length) ?? addressOf(c));
    await next();
  });
}

/**
 * Health and the page itself are for everyone; everything else needs a role, changing anything and metrics of
 * the process an operator's.
 */
function authorizeCaller(app: App): void {
  app.use(async (c, next) => {
    const { path } = c.req;
    const role = c.get('role');
    const needsRole =
      path.startsWith('/api/') ||
      path.startsWith('/models/') ||
      path.startsWith('/pictures/') ||
      path.startsWith('/reports/') ||
      path === '/metrics';
    if (role === undefined && needsRole) {
      throw new ProblemError(401, 'A token is needed.', 'Send "Authorization: Bearer TOKEN".');
    }
    // How many runs train, and since when, tells how long they take.
    const needsOperatorRole =
      path === '/metrics' || (path.startsWith('/api/') && !readingMethods.has(c.req.method));
    if (role !== 'operator' && needsOperatorRole) throw needsOperator();
    await next();
  });
}

function describeInterface(app: App, { version }: ServerContext): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  app.get('/api/whoami', (c) => c.json({ role: c.get('role') ?? null } satisfies Answers['/api/whoami']));
  let description: object | undefined;
  app.get('/api/openapi.json', (c) => {
    description ??= app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title: 'Hushrec',
        version,
        description:
          'Published models, their certificates, and training runs. No route takes or returns ratings of a person.',
      },
    });
    return c.json(description);
  });
}
