import { describe, expect, it } from 'vitest';
import { ServerMetrics } from './server-metrics.js';

describe('ServerMetrics', () => {
  it('counts by route and status and keeps a cumulative histogram', () => {
    const metrics = new ServerMetrics();
    metrics.observe('GET', '/api/models', 200, 0.002);
    metrics.observe('GET', '/api/models', 200, 0.2);
    metrics.observe('GET', 'unknown', 404, 9);
    const text = metrics.text({ models: 3 });
    expect(text).toContain('hushrec_requests_total{method="GET",route="/api/models",status="200"} 2');
    expect(text).toContain('hushrec_request_seconds_bucket{le="0.0025"} 1');
    expect(text).toContain('hushrec_request_seconds_bucket{le="0.25"} 2');
    expect(text).toContain('hushrec_request_seconds_bucket{le="+Inf"} 3');
    expect(text).toContain('hushrec_models 3');
  });
});
