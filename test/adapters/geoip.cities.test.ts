import { type GeoLocation } from '../../src/adapters/geoip';
import { type CityRecord, writeGeoDatabase } from '../support/geoDatabase';

const london: CityRecord = {
  country: { iso_code: 'GB' },
  subdivisions: [{ iso_code: 'ENG' }, { iso_code: 'LND' }],
  city: { names: { en: 'London' } },
};

/** The settings are read when the adapter is first imported. */
async function placeIn(database: string, address: string): Promise<GeoLocation> {
  process.env['GEOIP_DATABASE'] = database;
  jest.resetModules();
  const { locationOf: placeOf } = await import('../../src/adapters/geoip.js');
  return placeOf(address);
}

test('the operator’s database says region and city, and its country counts', async () => {
  const database = writeGeoDatabase({
    '8.8.8.8': london,
    '8.8.4.4': { country: { iso_code: 'fr' }, subdivisions: [] },
  });
  const place = { country: 'GB', regions: ['GB-ENG', 'GB-LND'], city: 'London' };
  expect(await placeIn(database, '8.8.8.8')).toEqual(place);
  expect(await placeIn(database, '::ffff:8.8.8.8')).toEqual(place);
  expect(await placeIn(database, '8.8.4.4')).toEqual({ country: 'FR', regions: [] });
});

test('of what it does not know, the packaged one knows the country', async () => {
  const database = writeGeoDatabase({ '8.8.8.8': london });
  expect(await placeIn(database, '62.162.0.1')).toEqual({ country: 'MK', regions: [] });
});

test('a database without IPv6 is not asked for an IPv6 address', async () => {
  // 32.1.72.96 is how the address begins.
  const database = writeGeoDatabase({ '32.1.72.96': london }, 4);
  expect(await placeIn(database, '32.1.72.96')).toMatchObject({ country: 'GB' });
  expect(await placeIn(database, '2001:4860:4860::8888')).toEqual({ country: 'US', regions: [] });
});

test('a path without a file is refused by name at the start', async () => {
  await expect(placeIn('/nowhere/cities.mmdb', '8.8.8.8')).rejects.toThrow(/GEOIP_DATABASE/);
});
