import { describe, expect, it } from 'vitest';
import { drawBar, duration, ProgressBar } from './progress-bar.js';

function stream(isTTY: boolean) {
  const written: string[] = [];
  const fake = { isTTY, columns: 60, write: (text: string) => written.push(text) > 0 };
  return { written, stream: fake as unknown as NodeJS.WriteStream };
}

describe('the progress bar', () => {
  it('shows stage, share and time left, and fits the terminal', () => {
    const line = drawBar('rounds', 1, 4, 10_000, 60);
    expect(line).toMatch(/^rounds █+░+ {2}25% 30 s left$/);
    expect(drawBar('a stage with a very long name indeed', 1, 4, 10_000, 30).length).toBeLessThan(30);
    expect(drawBar('x', 0, 0, 0, 60)).toContain('0%');
    expect(drawBar('x', 4, 4, 10_000, 60)).toMatch(/100%$/);
  });

  it.each([
    [400, '1 s'],
    [89_000, '89 s'],
    [180_000, '3 min'],
    [7_500_000, '2 h 5 min'],
  ])('%d ms are %s', (milliseconds, text) => {
    expect(duration(milliseconds)).toBe(text);
  });

  it('draws on a terminal and removes itself', () => {
    const { written, stream: terminal } = stream(true);
    const bar = new ProgressBar(terminal);
    bar.update({ stage: 'rounds', done: 1, total: 2 });
    expect(written.at(-1)).toMatch(/^\r.*rounds/);
    bar.clear();
    expect(written.at(-1)).toBe('\r\x1b[2K');
    const before = written.length;
    bar.clear();
    expect(written.length).toBe(before);
  });

  it('writes one line per stage elsewhere', () => {
    const { written, stream: pipe } = stream(false);
    const bar = new ProgressBar(pipe);
    for (let done = 0; done <= 5; done++) bar.update({ stage: 'rounds', done, total: 5 });
    bar.update({ stage: 'writing', done: 0, total: 1 });
    bar.clear();
    expect(written).toEqual(['rounds …\n', 'writing …\n']);
  });
});
