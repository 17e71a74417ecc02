import { endpoints, pages } from '../../src/endpoints';
import { consolePages } from '../../src/pages/console/pages';
import { linkPlaces, operatorPlaces, portalPlaces, reachedByClicks, withoutPicture } from '../gallery/places';
import { consolePaths, noPages } from '../support/consolePlaces';

/** `npm run screenshots` takes every page, so a new page names its picture. */

const declared = (list: readonly object[]) =>
  list.flatMap((room) => Object.values(room) as { method: string; path: string; produces?: string }[]);

const shown = [
  ...declared(pages).filter(({ method }) => method === 'get'),
  ...declared(endpoints).filter(({ method, produces }) => method === 'get' && produces === 'text/html'),
].map(({ path }) => path);

const taken: readonly string[] = [
  ...consolePaths,
  ...Object.values(portalPlaces).map((place) => `/portal/{merchant_uuid}${place}`),
  ...Object.values(operatorPlaces),
  ...Object.values(linkPlaces),
  ...reachedByClicks,
];
const excused = [...noPages, ...Object.keys(withoutPicture)];

test('every page has a picture in the gallery, or a reason to have none', () => {
  expect(shown.filter((path) => !taken.includes(path) && !excused.includes(path))).toEqual([]);
});

test('the gallery names no page that does not exist, and none twice', () => {
  expect([...taken, ...excused].filter((path) => !shown.includes(path))).toEqual([]);
  expect(taken.filter((path) => excused.includes(path))).toEqual([]);
});

test('the pages of the console are those that it registers', () => {
  const registered = Object.values(consolePages).filter(({ method }) => method === 'get');
  expect(registered.length).toBe(consolePaths.length + noPages.length);
});
