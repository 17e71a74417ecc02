/** Browsers allow passkeys at `localhost` without https. Imported before any module of the product, which reads its settings. */
Object.assign(process.env, { BASE_URL: 'http://localhost' });
