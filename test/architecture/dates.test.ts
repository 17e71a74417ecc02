import '../support/generatedSettings';
import qs from 'qs';
import { type z } from 'zod';
import { examplesOf } from '../support/examples';
import {
  faultOf,
  fromNewAddress,
  generatedRoutes,
  inParallel,
  methodOf,
  naturalRole,
  pathOf,
  patiently,
} from '../support/generated';
import { form, send } from '../support/raw';
import { size } from '../support/size';
import { startApp, type TestApp } from '../support/startApp';
import { createWorld, type World } from '../support/world';
import { callerFor } from '../support/operators';

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app);
});

afterAll(() => app.stop());

const yearStep = size({ usual: 1_999, full: 37 });
const years = Array.from({ length: Math.floor(10_000 / yearStep) + 1 }, (_, index) => index * yearStep);
const yearTexts = [...years, 1, 1582, 1899, 1900, 1969, 9998, 9999].map((year) => String(year).padStart(4, '0'));

const extremes = [
  ...yearTexts.flatMap((year) => [`${year}-01-01`, `${year}-12-31`, `${year}-12`]),
  '10000-01-01',
  '+010000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00Z',
  '2026-02-30',
  '2026-13-01',
  '9999-12-31T23:59:59-14:00',
  '1900-01-01T00:00:00+14:00',
  '2026-12-31T23:59:59.999999999Z',
  '253402300799',
  '253402300800',
  '-62135596800',
  '-2208988800',
  '-2208988801',
  '8640000000000',
  '999999999999999',
];

/** The fields that read a day or a month, and no other text. */
function datesOf(shape: z.ZodObject | undefined): string[] {
  const fields = Object.entries<z.ZodType>(shape?.shape ?? {});
  const reads = (field: z.ZodType, text: string) => field.safeParse(text).success;
  return fields
    .filter(([, field]) => !reads(field, 'no date') && (reads(field, '2020-05-28') || reads(field, '2020-05')))
    .map(([name]) => name);
}

const dated = generatedRoutes
  .map(([name, route]) => ({ name, route, query: datesOf(route.endpoint.query), body: datesOf(route.endpoint.body) }))
  .filter(({ query, body }) => query.length + body.length > 0);

test('every report is among the endpoints with dates', () => {
  const names = dated.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['getSummary', 'listMovements', 'getFunnel', 'createVoucher']));
});

test.each(dated)('2xx, 400, 404, 422: no date makes $name fail', async ({ route, query, body }) => {
  const [example] = examplesOf(route.name);
  const caller = await callerFor(naturalRole(route), world, example);
  const sound = await example.request(world, caller);
  const requests = extremes.flatMap((date) => [
    ...query.map((field) => ({ what: `${field}=${date}`, query: { ...sound.query, [field]: date }, body: sound.body })),
    ...body.map((field) => ({ what: `${field}=${date}`, query: sound.query, body: { ...sound.body, [field]: date } })),
  ]);
  const faults = await inParallel(requests, async (request) => {
    const path = pathOf(route, {
      ...(sound.params && { params: sound.params }),
      ...(request.query && { query: request.query }),
    });
    const sent = request.body && { body: qs.stringify(request.body), contentType: form };
    const options = { ...sent, token: caller.token, headers: fromNewAddress() };
    const fault = faultOf(route, await patiently(() => send(app, methodOf(route), path, options)));
    return fault === undefined ? [] : [`${request.what}: ${fault}`];
  });
  expect(faults.flat()).toEqual([]);
});
