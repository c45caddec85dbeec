import { describe, expect, it } from 'vitest';
import { gradesOf } from './grades.js';

describe('gradesOf', () => {
  it.each([
    [{ min: 0.5, max: 5, step: 0.5 }, [1, 2, 3, 4, 5]],
    [{ min: 1, max: 5, step: 1 }, [1, 2, 3, 4, 5]],
    [{ min: 0, max: 100, step: 1 }, [0, 25, 50, 75, 100]],
    [{ min: 1, max: 10, step: 1 }, [1, 3, 6, 8, 10]],
    [{ min: 0, max: 1, step: 1 }, [0, 1]],
    [{ min: -1, max: 1, step: 0 }, [-1, -0.5, 0, 0.5, 1]],
  ])('offers grades of the scale %j', (scale, grades) => {
    expect(gradesOf(scale)).toEqual(grades);
  });
});
