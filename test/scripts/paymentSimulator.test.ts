import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../scripts/embedded/ports';
import { ProcessGroup } from '../../scripts/embedded/processes';
import { startPaymentSimulator } from '../../scripts/paymentSimulator/program';
import { type Sandbox } from '../../src/adapters/cardProviders/sandbox';
import { control } from '../support/providerBooks';
import { queryProvider, startSandbox } from '../support/sandbox';
import { until } from '../support/until';

/** The process of the sandbox, from outside: faults between it and the service, its pages, and its ledger after a kill. */

const typed = { holderName: 'Ana Petrova', expiryMonth: 2, expiryYear: 2040, securityCode: '123' };

async function requestFor(sandbox: Sandbox, number = '4242424242424242') {
  const { token } = await sandbox.tokenise({ ...typed, number });
  return { idempotencyKey: randomUUID(), token, amountMinor: 999, currency: 'EUR', description: 'Monthly <pass>' };
}

const countCharges = async (key: string) =>
  (await queryProvider(`SELECT 1 FROM sandbox_charges WHERE idempotency_key = $1 AND status = 'paid'`, [key])).rows
    .length;

describe('faults', () => {
  const sandbox = startSandbox();
  afterEach(() => control('faults', undefined, 'DELETE'));

  test.each([
    ['limited', 'not_sent', 0],
    ['unavailable', 'not_sent', 0],
    ['cut', 'unknown', 0],
    ['lost', 'unknown', 1],
  ] as const)('a charge that is %s is %s, and the next try charges once', async (kind, outcome, charged) => {
    const request = await requestFor(sandbox);
    await control('faults', { kind, on: 'charges' });
    expect(await sandbox.charge(request)).toMatchObject({ outcome });
    expect(await countCharges(request.idempotencyKey)).toBe(charged);
    expect(await sandbox.charge(request)).toMatchObject({ outcome: 'paid' });
    expect(await countCharges(request.idempotencyKey)).toBe(1);
  });

  test('a provider that hangs is unknown after the time-out, and charges nothing', async () => {
    const request = await requestFor(sandbox);
    await control('faults', { kind: 'hang', on: 'charges' });
    expect(await startSandbox({ timeoutMs: 1_000 }).charge(request)).toEqual({ outcome: 'unknown' });
    expect(await countCharges(request.idempotencyKey)).toBe(0);
  });

  test('an answer that comes too late is unknown, and the look-up finds the charge', async () => {
    const request = await requestFor(sandbox);
    // The request has a second to arrive, and the answer comes after ten.
    await control('faults', { kind: 'late', on: 'charges' });
    expect(await startSandbox({ timeoutMs: 1_000 }).charge(request)).toEqual({ outcome: 'unknown' });
    expect(await sandbox.lookUpCharge(request.idempotencyKey)).toMatchObject({ outcome: 'paid' });
  });

  test('a look-up without an answer is unknown, and never not_sent', async () => {
    const request = await requestFor(sandbox);
    await sandbox.charge(request);
    for (const kind of ['limited', 'unavailable', 'cut', 'lost']) {
      await control('faults', { kind, on: 'charges' });
      expect(await sandbox.lookUpCharge(request.idempotencyKey)).toEqual({ outcome: 'unknown' });
    }
    const down = startSandbox({ apiBase: `http://127.0.0.1:${await findFreePort()}` });
    expect(await down.lookUpCharge(request.idempotencyKey)).toEqual({ outcome: 'unknown' });
    expect(await down.voidCharge(request.idempotencyKey)).toEqual({ outcome: 'unknown' });
  });

  test('a provider that is down: nothing was sent, and a card is not accepted', async () => {
    const request = await requestFor(sandbox);
    const down = startSandbox({ apiBase: `http://127.0.0.1:${await findFreePort()}` });
    expect(await down.charge(request)).toEqual({ outcome: 'not_sent' });
    await expect(down.tokenise({ ...typed, number: '4242424242424242' })).rejects.toMatchObject({
      code: 'service_unavailable',
    });
  });

  test('422: a fault of another kind, and the control API says which there are', async () => {
    await expect(control('faults', { kind: 'fire' })).rejects.toThrow('422');
  });
});

describe('accounts', () => {
  test('an account knows nothing of the cards and charges of another one', async () => {
    const [ours, theirs] = [startSandbox(), startSandbox({ key: randomUUID() })];
    const request = await requestFor(ours);
    await ours.charge(request);
    expect(await theirs.lookUpCharge(request.idempotencyKey)).toEqual({ outcome: 'not_sent' });
    await expect(theirs.charge(request)).rejects.toThrow('has not issued this card token');
  });

  test('401 without a key, 404 for an unknown path, 400 for a body that is no JSON', async () => {
    const base = process.env['SANDBOX_API_BASE'] ?? '';
    const headers = { Authorization: `Bearer ${process.env['SANDBOX_KEY']}` };
    const statusOf = async (path: string, init: RequestInit = {}) => (await fetch(`${base}/${path}`, init)).status;
    expect(await statusOf('v1/payments')).toBe(401);
    expect(await statusOf('v1/nothing', { headers })).toBe(404);
    expect(await statusOf('%', { headers })).toBe(400);
    expect(await statusOf('v1/charges', { method: 'POST', headers, body: '{' })).toBe(400);
    expect(await statusOf('v1/charges', { method: 'POST', headers, body: '{"amountMinor":0}' })).toBe(400);
  });
});

describe('a process of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'payment-simulator-'));
  const processes = new ProcessGroup({ removeFolder: folder });
  afterAll(async () => {
    await processes.stopAll();
    await rm(folder, { recursive: true, force: true });
  });

  test('its ledger survives kill -9: what was paid is paid, and the same key charges nothing more', async () => {
    const port = await findFreePort();
    const env = { ...process.env, PAYMENT_SIMULATOR_PORT: String(port), PAYMENT_SIMULATOR_FOLDER: folder };
    const script = join(__dirname, '../../dist/scripts/paymentSimulator.js');
    const apiBase = `http://127.0.0.1:${port}`;
    const start = async () => {
      const started = await processes.start('Payment simulator', process.execPath, [script], {
        env,
        logFile: join(folder, 'log'),
        stopRank: 1,
      });
      await until(() =>
        fetch(`${apiBase}/health`).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
      return started;
    };
    const sandbox = startSandbox({ apiBase });
    const first = await start();
    const request = await requestFor(sandbox);
    const paid = await sandbox.charge(request);
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    // A request over a connection whose end was not noticed yet is unknown.
    await until(async () => (await sandbox.charge(request)).outcome === 'not_sent');
    await start();
    expect(await sandbox.charge(request)).toEqual(paid);
    expect(await sandbox.lookUpCharge(request.idempotencyKey)).toEqual(paid);
  });

  test('the page of an account is there after a new start, before the account is used', async () => {
    const ledgers = join(folder, 'pages');
    const first = await startPaymentSimulator({ port: 0, folder: ledgers });
    const sandbox = startSandbox({ apiBase: first.url });
    const asked = await sandbox.charge({
      ...(await requestFor(sandbox, '4000000000003220')),
      returnUrl: 'https://shop.example/back',
    });
    const reference = asked.outcome === 'requires_action' ? asked.reference : '';
    const account = await accountOf(first.url);
    await first.stop();
    const second = await startPaymentSimulator({ port: 0, folder: ledgers });
    const page = `${second.url}/pages/${account}/authenticate/${reference}`;
    const shown = await fetch(page);
    expect(shown.status).toBe(200);
    expect(await shown.text()).toContain('Monthly &lt;pass&gt;');
    const body = new URLSearchParams({ answer: 'approved' });
    const answered = await fetch(page, { method: 'POST', body, redirect: 'manual' });
    expect(answered.headers.get('location')).toBe(`https://shop.example/back?payment_intent=${reference}`);
    expect((await fetch(page)).status).toBe(404);
    expect((await fetch(`${second.url}/pages/${account}/constructor/${reference}`)).status).toBe(404);
    expect((await fetch(`${second.url}/pages/../authenticate/${reference}`)).status).toBe(404);
    await second.stop();
  });
});

/** The id that stands in the addresses of the account's pages. */
async function accountOf(url: string): Promise<string> {
  const headers = { Authorization: `Bearer ${process.env['SANDBOX_KEY']}` };
  return ((await (await fetch(`${url}/simulator/account`, { headers })).json()) as { id: string }).id;
}
