import type { SeededRandom } from '../seeded-random.js';

/** Words of our own, put together at random: no title here names a real work. */
// biome-ignore format: a word list
const qualities = [
  'Amber', 'Borrowed', 'Brittle', 'Careful', 'Copper', 'Crooked', 'Distant', 'Drowsy', 'Eleventh', 'Faded',
  'Feathered', 'Folded', 'Gentle', 'Hollow', 'Idle', 'Inland', 'Jagged', 'Kindled', 'Last', 'Lopsided',
  'Marbled', 'Moonless', 'Muted', 'Narrow', 'Northern', 'Opal', 'Paper', 'Patient', 'Quiet', 'Restless',
  'Salted', 'Second', 'Silver', 'Sleepless', 'Slow', 'Spare', 'Tidal', 'Unlit', 'Velvet', 'Wandering',
];
// biome-ignore format: a word list
const things = [
  'Almanac', 'Anchor', 'Arcade', 'Bakery', 'Barometer', 'Bridge', 'Canal', 'Carousel', 'Cellar', 'Chimney',
  'Compass', 'Courtyard', 'Ferry', 'Garden', 'Glacier', 'Gramophone', 'Harbour', 'Hinge', 'Hourglass', 'Island',
  'Kiln', 'Ladder', 'Lantern', 'Letterbox', 'Meadow', 'Mirror', 'Observatory', 'Orchard', 'Parcel', 'Pendulum',
  'Quarry', 'Railway', 'Rooftop', 'Semaphore', 'Signal', 'Staircase', 'Telegraph', 'Thimble', 'Umbrella', 'Vineyard',
];
// biome-ignore format: a word list
const places = [
  'at Low Tide', 'Beyond the Wall', 'by Candlelight', 'for Two Voices', 'in Winter', 'of Ash Street', 'of the Delta',
  'on the Ridge', 'Under Glass', 'Without a Map', 'After the Rain', 'Before Noon',
];
// biome-ignore format: a word list
const firstSyllables = ['Al', 'Bre', 'Cor', 'Da', 'El', 'Fin', 'Gal', 'Hes', 'Is', 'Jo', 'Kel', 'Lu', 'Mar', 'Ni', 'Or', 'Pel'];
// biome-ignore format: a word list
const lastSyllables = ['bren', 'dell', 'fax', 'gan', 'hal', 'kin', 'low', 'mere', 'nick', 'quist', 'rath', 'sen', 'tova', 'vane', 'wick', 'zell'];

/** As many different titles as asked for; a numeral is added only when the word lists run out. */
export function inventTitles(count: number, random: SeededRandom): string[] {
  const seen = new Set<string>();
  return Array.from({ length: count }, () => {
    const quality = qualities[random.below(qualities.length)];
    const thing = things[random.below(things.length)];
    const place = random.uniform() < 0.6 ? ` ${places[random.below(places.length)]}` : '';
    const base = `The ${quality} ${thing}${place}`;
    let title = base;
    for (let part = 2; seen.has(title); part++) title = `${base}, Part ${part}`;
    seen.add(title);
    return title;
  });
}

/** As many different made-up surnames as asked for. */
export function inventNames(count: number, random: SeededRandom): string[] {
  const seen = new Set<string>();
  return Array.from({ length: count }, () => {
    const base =
      firstSyllables[random.below(firstSyllables.length)] + lastSyllables[random.below(lastSyllables.length)];
    const initial = String.fromCharCode(65 + random.below(26));
    let name = `${initial}. ${base}`;
    for (let part = 2; seen.has(name); part++) name = `${initial}. ${base} ${part}`;
    seen.add(name);
    return name;
  });
}
