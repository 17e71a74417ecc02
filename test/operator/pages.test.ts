import { call } from '../support/client';
import { createMerchant, password } from '../support/factories';
import {
  createOperator,
  enterOperatorPages,
  insertRefused,
  putInState,
  registerOperator,
  type Operator,
} from '../support/operators';
import { PageWalker } from '../support/pageWalker';
import { addPasskey, Authenticator, listPasskeys } from '../support/passkeys';
import { ageProof, codeOf, forgetSteps } from '../support/secondFactors';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const enter = (operator: Operator) => enterOperatorPages(app, operator);

test('a new operator sets a second factor up before anything else', async () => {
  const { email } = await registerOperator(app);
  const walker = new PageWalker(app);
  await walker.open('/operator/sign-in');
  await walker.submit('/operator/sign-in', { email, password, next: '' });
  const refused = await walker.open('/operator');
  expect([refused.status, refused.headers.get('location')]).toEqual([303, '/operator/security']);
  await walker.open('/operator/security');
  const { text } = await walker.submit('/operator/security/second-factor', { password });
  const secret = /<code[^>]*dir="ltr"[^>]*>([A-Z2-7 ]+)</.exec(text)?.[1]?.replaceAll(' ', '') ?? '';
  const action = /action="([^"]+\/confirm)"/.exec(text)?.[1] ?? '';
  const confirmed = await walker.submit(action, { code: codeOf(secret) });
  expect(confirmed.status).toBe(200);
  for (const path of ['/operator', '/operator/waiting', '/operator/actions'])
    expect([path, (await walker.open(path)).status]).toEqual([path, 200]);
  // The banner and the list name the operator.
  const actions = (await walker.open('/operator/actions')).text.replaceAll('<wbr />', '');
  expect(actions.split(`>${email}<`).length).toBeGreaterThan(3);
});

test('a merchant is suspended with a reason and resumed, by forms', async () => {
  const merchant = await createMerchant(app);
  const walker = await enter(await createOperator(app));
  const own = `/operator/shops/${merchant.id}`;
  expect((await walker.open('/operator?state=open')).text).toContain(`href="${own}"`);
  await walker.open(own);
  const refused = await walker.submit(`${own}/suspend`, { reason: '' });
  expect([refused.status, refused.text.includes('role="alert"')]).toEqual([422, true]);
  const suspended = await walker.submit(`${own}/suspend`, { reason: 'Mails to <b>strangers</b>' });
  expect(suspended.headers.get('location')).toBe(`${own}?done=suspended`);
  const shown = await walker.open(own);
  expect(shown.text).toContain('Mails to &lt;b&gt;strangers&lt;/b&gt;');
  expect((await walker.submit(`${own}/resume`)).headers.get('location')).toBe(`${own}?done=resumed`);
  expect((await walker.submit(`${own}/resume`)).status).toBe(422);
});

test('a suspension without a reason opens its own question again, and not the approval', async () => {
  const merchant = await createMerchant(app);
  await putInState(app, merchant, 'waiting');
  const walker = await enter(await createOperator(app));
  const own = `/operator/shops/${merchant.id}`;
  await walker.open(own);
  const { text } = await walker.submit(`${own}/suspend`, { reason: '' });
  const questions = [...text.matchAll(/<details class="asking"([^>]*)>[^]*?action="([^"]+)"/g)];
  expect(questions.map(([, state = '', action]) => [action, state.trim()])).toEqual([
    [`${own}/approve`, ''],
    [`${own}/suspend`, 'open'],
  ]);
});

test('the menu has a sign for each section, and nothing is said of mails and webhooks that do not wait', async () => {
  const walker = await enter(await createOperator(app));
  const { text } = await walker.open('/operator/waiting');
  const [menu = ''] = /<nav class="console-menu"[^]*?<\/nav>/.exec(text) ?? [];
  expect([menu.split('<li>').length - 1, menu.split('<svg').length - 1]).toEqual([4, 4]);
  expect(text).not.toMatch(/\b0 (?:emails wait|webhook endpoints)/);
});

test('each kind of run has a name, and a queue in which nothing waits has no age', async () => {
  const walker = await enter(await createOperator(app));
  const { text } = await walker.open('/operator/waiting');
  const [, runs = ''] = text.split('<h2>Runs</h2>');
  const names = [...runs.matchAll(/<th scope="row"[^>]*>([^<]*)</g)].map(([, name = '']) => name.trim());
  expect(names).toContain('Erasure of an account');
  for (const name of names) expect(name).toMatch(/^[A-Z][a-z]+(?: [a-z]+)*$/);
  const ages = [...text.matchAll(/<\/th>\s*<td[^>]*>(\d+)<\/td>\s*<td[^>]*>([^<]*)<\/td>/g)];
  expect(ages.length).toBeGreaterThan(names.length);
  for (const [, waiting, age] of ages) expect(age).toMatch(waiting === '0' ? /^–$/ : /^\d+ minutes?$/);
});

test('a refused message is sent again or deleted, and a page that is out of date says so', async () => {
  const walker = await enter(await createOperator(app));
  const [first, second] = [await insertRefused(app), await insertRefused(app)];
  const waiting = await walker.open('/operator/waiting');
  expect(waiting.text).toContain('href="/operator/refused"');
  const shown = await walker.open('/operator/refused');
  expect(shown.text).toContain('Namespace paywall is not found');
  const sent = await walker.submit(`/operator/refused/${first}/send`);
  expect([sent.status, sent.headers.get('location')]).toEqual([303, '/operator/refused?done=sent']);
  const discarded = await walker.submit(`/operator/refused/${second}/discard`);
  expect(discarded.headers.get('location')).toBe('/operator/refused?done=discarded');
  expect((await walker.open('/operator/refused?done=discarded')).text).toContain('The message is deleted.');
  const again = await walker.submit(`/operator/refused/${second}/discard`);
  expect([again.status, again.text.includes('role="alert"')]).toEqual([404, true]);
  expect((await walker.open('/operator/waiting')).text).not.toContain('href="/operator/refused"');
});

test('an operator sees every device that is signed in, and signs one or all others out', async () => {
  const operator = await createOperator(app);
  const walker = await enter(operator);
  await enter(operator);
  const ends = async () => {
    const { text } = await walker.open('/operator/security');
    return [...text.matchAll(/action="(\/operator\/security\/sessions\/[\w-]+\/end)"/g)].map(
      ([, action = '']) => action,
    );
  };
  const [first = '', ...others] = await ends();
  expect((await walker.submit(first)).headers.get('location')).toBe('/operator/security?done=changed');
  expect(await ends()).toEqual(others);
  await enter(operator);
  await walker.open('/operator/security');
  await walker.submit('/operator/security/sessions/end-others');
  expect(await ends()).toEqual([]);
  expect((await walker.open('/operator')).status).toBe(200);
});

test('after half an hour, the page asks for a code and goes on', async () => {
  const operator = await createOperator(app);
  const walker = await enter(operator);
  await ageProof(app, operator, '31 minutes');
  const asked = await walker.open('/operator/actions');
  expect([asked.status, asked.text.includes('action="/operator/confirm"')]).toEqual([403, true]);
  await forgetSteps(app, operator);
  const next = '/operator/actions';
  expect((await walker.submit('/operator/confirm', { next, _confirm_code: '000000' })).status).toBe(422);
  const code = codeOf(operator.secret);
  const done = await walker.submit('/operator/confirm', { next: 'https://example.org', _confirm_code: code });
  expect([done.status, done.headers.get('location')]).toEqual([303, '/operator']);
  expect((await walker.open(next)).status).toBe(200);
});

test('after half an hour, the reason of a suspension is kept', async () => {
  const operator = await createOperator(app);
  const merchant = await createMerchant(app);
  const walker = await enter(operator);
  const own = `/operator/shops/${merchant.id}`;
  await walker.open(own);
  await ageProof(app, operator, '31 minutes');
  await forgetSteps(app, operator);
  const asked = await walker.submit(`${own}/suspend`, { reason: 'It mails strangers' });
  expect([asked.status, asked.text.includes('value="It mails strangers"')]).toEqual([403, true]);
  const form = { reason: 'It mails strangers', _confirm_code: codeOf(operator.secret) };
  expect((await walker.submit(`${own}/suspend`, form)).headers.get('location')).toBe(`${own}?done=suspended`);
});

test('303: an operator signs in with a passkey, and only in the browser that asked', async () => {
  const operator = await createOperator(app);
  const { authenticator } = await addPasskey(app, operator);
  const walker = new PageWalker(app);
  await walker.open('/operator/sign-in');
  const passkeyFor = async (cookies: string) => {
    const sent = { client_id: 'operator' };
    const options = { headers: { Cookie: cookies } };
    const path = '/accounts/passkeys/sign-in/options';
    const { body } = await call<{ challenge: string }>(app, 'POST', path, sent, options);
    authenticator.counter += 1;
    return JSON.stringify(authenticator.use(body.challenge, operator));
  };
  for (const wrong of ['{}', 'no JSON', await passkeyFor('')])
    expect((await walker.submit('/operator/sign-in', { passkey: wrong })).status).toBe(422);
  const entered = await walker.submit('/operator/sign-in', { passkey: await passkeyFor(walker.cookies), next: '' });
  expect([entered.status, entered.headers.get('location')]).toEqual([303, '/operator']);
  expect((await walker.open('/operator')).status).toBe(200);
});

test('an operator adds, renames and removes a passkey by forms, and a wrong one is refused', async () => {
  const operator = await createOperator(app);
  const walker = await enter(operator);
  const own = '/operator/security/passkeys';
  await walker.open('/operator/security');
  const { text } = await walker.submit(own, { name: 'Laptop', password: '' });
  const [, challenge = ''] = /&quot;challenge&quot;:&quot;([^&]+)&quot;/.exec(text) ?? [];
  const wrong = await walker.submit(`${own}/new`, { name: 'Laptop', credential: '{}' });
  expect([wrong.status, wrong.text.includes('role="alert"')]).toEqual([422, true]);
  const credential = JSON.stringify(new Authenticator().create(challenge));
  const made = await walker.submit(`${own}/new`, { name: 'Laptop', credential });
  expect([made.status, made.headers.get('location')]).toEqual([303, '/operator/security?done=changed']);
  const [passkey] = await listPasskeys(app, operator);
  await walker.open('/operator/security');
  await walker.submit(`${own}/${passkey?.id}`, { [`name-${passkey?.id}`]: 'Desk' });
  expect((await walker.open('/operator/security')).text).toContain('<bdi>Desk</bdi>');
  await walker.submit(`${own}/${passkey?.id}/remove`);
  expect(await listPasskeys(app, operator)).toEqual([]);
});

test('a merchant’s cookie opens no page of the operators, and an operator’s none of the console', async () => {
  const operator = await createOperator(app);
  const walker = await enter(operator);
  expect((await walker.open('/console')).headers.get('location')).toContain('/console/sign-in');
  const merchant = await createMerchant(app);
  const cookie = { Cookie: `operator=${merchant.token}` };
  const shown = await fetch(`${app.address}/operator`, { redirect: 'manual', headers: cookie });
  expect(shown.headers.get('location')).toContain('/operator/sign-in');
  const unknown = await walker.open('/operator/shops/x');
  expect(unknown.status).toBe(404);
});
