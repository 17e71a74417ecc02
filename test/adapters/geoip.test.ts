import { countryOf, locationOf } from '../../src/adapters/geoip';

describe('the packaged database knows the country of', () => {
  test.each([
    ['8.8.8.8', 'US'],
    ['62.162.0.1', 'MK'],
    ['::ffff:62.162.0.1', 'MK'],
    ['::FFFF:3EA2:1', 'MK'],
    ['0:0:0:0:0:ffff:3ea2:0001', 'MK'],
    ['2001:4860:4860::8888', 'US'],
  ])('%s: %s', (address, country) => expect(countryOf(address)).toBe(country));
});

describe('nobody knows where this is:', () => {
  test.each(['127.0.0.1', '::1', '10.0.0.1', '::ffff:10.0.0.1', 'fe80::1%eth0', '', 'unknown', '8.8.8.8:80', '8.8.8'])(
    '%s',
    (address) => expect(locationOf(address)).toEqual({ regions: [] }),
  );
});

test('without a database of cities, a place is a country', () => {
  expect(locationOf('8.8.8.8')).toEqual({ country: 'US', regions: [] });
});
