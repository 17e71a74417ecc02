import { withCities } from './geoDatabase';

/**
 * Settings under which every endpoint can be called; requests say from which address they come. Imported before any module
 * of the product, which reads its settings when it is imported, and whose declarations name the generated tests.
 */
Object.assign(process.env, {
  ...withCities(),
  TRUSTED_PROXIES: 'loopback',
  SOCIAL_PROVIDERS: JSON.stringify([{ name: 'facebook', client_id: 'x', client_secret: 'x' }]),
});
