import { createPayShop, paid } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';

/** The headers that a script of another site may read in an answer. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ RATE_LIMIT_NORMAL: '40' });
  await app.startWorker();
});

afterAll(() => app.stop());

/** Browsers show a script these headers of any answer (CORS-safelisted response headers). */
const always = ['cache-control', 'content-language', 'content-length', 'content-type', 'expires', 'last-modified'];

/** The answer's headers as a script of another site reads them: those that it is allowed to read, and that exist. */
function readableIn({ headers }: Response): Record<string, string> {
  const exposed = (headers.get('access-control-expose-headers') ?? '').toLowerCase().split(/\s*,\s*/);
  return Object.fromEntries([...headers].filter(([name]) => exposed.includes(name) && !always.includes(name)));
}

const ask = (path: string, token: string) =>
  fetch(`${app.address}${path}`, {
    headers: { Authorization: `Bearer ${token}`, Origin: 'https://shop.example.org' },
  });

test('200: a script reads the name of a receipt, the id of its request and the state of the limit', async () => {
  const shop = await createPayShop(app);
  const token = await paid(app, shop);
  const receipt = await ask(`/v2/accounting/transactions/${token}/receipt`, shop.consumer.token);
  expect(receipt.status).toBe(200);
  expect(receipt.headers.get('access-control-allow-origin')).toBe('*');
  expect(readableIn(receipt)).toMatchObject({
    'content-disposition': `inline; filename="receipt-${token}.pdf"`,
    ratelimit: expect.stringMatching(/^limit=40, remaining=\d+, reset=\d+$/) as string,
    'x-request-id': expect.any(String) as string,
  });
});

test('429 too_many_requests: a script reads the limit, and when to ask again', async () => {
  const { consumer } = await createPayShop(app);
  const answers: Response[] = [];
  // A minute may end in between, so there are more requests than two minutes allow.
  for (let count = 0; count < 82 && answers.at(-1)?.status !== 429; count += 1)
    answers.push(await ask('/accounts', consumer.token));
  const refused = answers.at(-1);
  expect(refused?.status).toBe(429);
  expect(refused && readableIn(refused)).toMatchObject({
    ratelimit: expect.stringMatching(/^limit=40, remaining=0, reset=\d+$/) as string,
    'retry-after': expect.stringMatching(/^\d+$/) as string,
    'x-request-id': expect.any(String) as string,
  });
});
