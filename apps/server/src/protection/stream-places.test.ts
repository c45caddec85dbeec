import { describe, expect, it } from 'vitest';
import { StreamPlaces } from './stream-places.js';

const limits = { total: 10, reservedForOperators: 2, perViewer: 6 };
const taken = (places: StreamPlaces, owner: string, count: number, ended: string[] = []) =>
  Array.from({ length: count }, (_, k) =>
    places.take(owner, owner === 'operator' ? 'operator' : 'viewer', () => ended.push(`${owner} ${k}`)),
  ).filter((place) => place !== undefined);

describe('places for event streams', () => {
  it('one viewer has no more than its share, whoever else is there', () => {
    expect(taken(new StreamPlaces(limits), 'a', 20)).toHaveLength(6);
  });

  it('viewers leave some for operators, and operators get more from the viewer who has most', () => {
    const places = new StreamPlaces(limits);
    const ended: string[] = [];
    taken(places, 'a', 5, ended);
    taken(places, 'b', 3, ended);
    expect(taken(places, 'operator', 4, ended)).toHaveLength(4);
    expect(ended).toEqual(['a 0', 'a 1']);
    expect(places.open).toBe(10);
  });

  it('a newcomer gets a place of whoever has the most, until shares are equal', () => {
    const places = new StreamPlaces({ ...limits, total: 8, reservedForOperators: 2 });
    const ended: string[] = [];
    taken(places, 'a', 6, ended);
    expect(taken(places, 'b', 6, ended)).toHaveLength(3);
    expect(ended).toEqual(['a 0', 'a 1', 'a 2']);
    expect(taken(places, 'c', 6, ended)).toHaveLength(2);
    expect(places.open).toBe(6);
  });

  it('a place given back is free again', () => {
    const places = new StreamPlaces({ ...limits, perViewer: 1 });
    const [leave] = taken(places, 'a', 1);
    expect(taken(places, 'a', 1)).toHaveLength(0);
    leave();
    leave();
    expect(taken(places, 'a', 1)).toHaveLength(1);
  });
});
