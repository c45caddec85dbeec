import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answers } from '@hushrec/page/contract';
import type { App, Invitation, ServerContext } from '../server-context.js';

/**
 * `/api/take-part` says whether visitors are invited to a federated run; `/take-part` is the document for it.
 * Its policy lets it talk to the run's board and aggregators, under the paths of the protocol, and to nobody
 * else: not even to this server. It computes in WebAssembly.
 */
export function takePartRoutes(app: App, { takePart, site }: ServerContext): void {
  app.get('/api/take-part', (c) =>
    c.json({ open: takePart !== undefined } satisfies Answers['/api/take-part']),
  );
  if (takePart === undefined) return;
  const document = readFileSync(join(site, 'take-part.html'), 'utf8').replace(
    'name="hushrec-board" content=""',
    () =>
      `name="hushrec-board" content="${escaped(takePart.board)}" data-run="${escaped(takePart.run ?? '')}"`,
  );
  app.get('/take-part', (c) =>
    c.html(document, 200, { 'content-security-policy': policyOf(takePart), 'cache-control': 'no-cache' }),
  );
}

/** No script, style or image from anywhere but this server; connections to the run alone. */
function policyOf({ board, aggregators, issuer = board }: Invitation): string {
  const places = [...new Set([board, ...aggregators, issuer].map((url) => `${url.replace(/\/+$/, '')}/v1/`))];
  return [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    `connect-src ${places.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function escaped(text: string): string {
  return text.replace(/[&"<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
