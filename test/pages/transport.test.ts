import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

const paths = ['/health/live', '/console/sign-in', '/openapi.json', '/nothing'];

async function readHeaders(name: string): Promise<(string | null)[]> {
  return Promise.all(paths.map(async (path) => (await fetch(`${app.address}${path}`)).headers.get(name)));
}

afterEach(async () => {
  await app.stop();
  jest.resetModules();
});

test('a service with an https address tells browsers to use nothing else, in every environment', async () => {
  app = await startApp({ BASE_URL: 'https://paywall.test' });
  const lasts = 'max-age=31536000; includeSubDomains';
  expect(await readHeaders('strict-transport-security')).toEqual(paths.map(() => lasts));
});

test('a service with an http address does not', async () => {
  app = await startApp({ BASE_URL: 'http://paywall.test' });
  expect(await readHeaders('strict-transport-security')).toEqual(paths.map(() => null));
});
