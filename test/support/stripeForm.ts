import { type BrowserContext, type Page, type Route } from 'playwright-core';
import { clickAway, untilTrue } from './chromium';
import { cards } from './factories';
import { type StripeServer, stripeSettings } from './stripeServer';

/** A stand-in for js.stripe.com: the part of Stripe.js that our pages use. Its cards are known to the stand-in server. */

/** The settings of a service that takes cards by Stripe's form only. */
export const formSettings = (stripe: Pick<StripeServer, 'url'>) => ({
  ...stripeSettings(stripe),
  STRIPE_RAW_CARDS: 'false',
});

/**
 * The script records its calls in `window.askedOfStripe`, and what is typed in `window.typedInStripe`. Like Stripe's, it reads
 * the card in a frame of its own.
 */
const script = `
window.askedOfStripe = [];
window.Stripe = (key, { stripeAccount } = {}) => ({
  elements(options) {
    if (options.mode === 'payment' && !(options.amount > 0)) throw new Error('A payment needs an amount');
    window.askedOfStripe.push({ key, stripeAccount, ...options });
    window.typedInStripe = '';
    const listeners = {};
    const elements = { number: '', clientSecret: options.clientSecret };
    const hear = ({ origin, data }) => {
      if (origin !== 'https://js.stripe.com') return;
      elements.number = window.typedInStripe = data;
      (listeners.change ?? listeners.confirm)?.();
    };
    return Object.assign(elements, {
      create: (kind, { paymentMethods } = {}) => ({
        on: (event, listener) => (listeners[event] = listener),
        mount(place) {
          Object.assign(window.askedOfStripe.at(-1), { kind, paymentMethods });
          const frame = document.createElement('iframe');
          frame.title = 'Secure payment input frame';
          frame.style.width = '100%';
          frame.src = kind === 'payment' ? 'https://js.stripe.com/card' : 'https://js.stripe.com/wallet';
          frame.onload = () => listeners.ready?.(window.hasNoWallet ? {} : { availablePaymentMethods: {} });
          place.replaceChildren(window.hasNoWallet ? '' : frame);
          if (window.hasNoWallet) frame.onload();
          window.addEventListener('message', hear);
        },
        destroy: () => window.removeEventListener('message', hear),
      }),
      submit: async () => (elements.number === '' ? { error: { message: 'Your card number is incomplete.' } } : {}),
    });
  },
  async createConfirmationToken({ elements }) {
    const card = { number: elements.number, exp_month: '12', exp_year: '2040' };
    const fields = Object.entries(card).map(([name, value]) => ['payment_method_data[card][' + name + ']', value]);
    const body = new URLSearchParams([['key', key], ['payment_method_data[type]', 'card'], ...fields]);
    const answer = await (await fetch('https://api.stripe.com/v1/confirmation_tokens', { method: 'POST', body })).json();
    return answer.error ? { error: answer.error } : { confirmationToken: answer };
  },
  /** Also of a wallet. The bank declines the published card for that. */
  async confirmPayment({ elements }) {
    const answer = elements.number === '${cards.declined}' ? 'fail' : 'complete';
    const body = new URLSearchParams({ key, client_secret: elements.clientSecret, answer });
    await fetch('https://api.stripe.com/v1/wallets/confirm', { method: 'POST', body });
    return answer === 'fail' ? { error: { message: 'Your card was declined.' } } : {};
  },
  async handleNextAction({ clientSecret }) {
    const frame = document.createElement('iframe');
    frame.title = 'Authentication challenge';
    frame.name = 'challenge';
    frame.src = 'https://js.stripe.com/challenge';
    document.body.append(frame);
    const answer = await new Promise((resolve) => {
      const hear = ({ origin, data }) => {
        if (origin !== 'https://js.stripe.com' || data === '') return;
        window.removeEventListener('message', hear);
        resolve(data);
      };
      window.addEventListener('message', hear);
    });
    frame.remove();
    const refusal = { code: 'payment_intent_authentication_failure', message: 'We are unable to authenticate your payment method.' };
    // The payer has closed the challenge, and can open it again.
    if (answer === 'close') return { error: refusal };
    const body = new URLSearchParams({ key, client_secret: clientSecret, answer });
    const intent = await (await fetch('https://api.stripe.com/v1/3ds2/authenticate', { method: 'POST', body })).json();
    return answer === 'complete' ? { paymentIntent: intent } : { error: refusal };
  },
});`;

/** The scripts of the frames are before the elements, which work as soon as they are visible. */
const challengeFrame = `<!doctype html><title>Challenge</title>
<script>onclick = ({ target }) => parent.postMessage(target.value ?? '', '*');</script>
<button value="complete">Complete</button><button value="fail">Fail</button><button value="close">Close</button>`;

const cardFrame = `<!doctype html><title>Card</title>
<script>oninput = ({ target }) => parent.postMessage(target.value, '*');</script>
<label>Card number <input name="number"></label>`;

/** The button of a wallet. The payer pays with one of the cards in it. */
const walletFrame = `<!doctype html><title>Wallet</title>
<script>onclick = ({ target }) => parent.postMessage(target.value ?? '', '*');</script>
<button value="${cards.success}">Pay</button><button value="${cards.declined}">Pay with the other card</button>`;

/** Stand-ins answer the browser's requests to Stripe. */
export async function serveStripeForm(context: BrowserContext, stripe: Pick<StripeServer, 'url'>): Promise<void> {
  const frames: Record<string, string> = { '/card': cardFrame, '/challenge': challengeFrame, '/wallet': walletFrame };
  await context.route('https://js.stripe.com/**', (route) => {
    const frame = frames[new URL(route.request().url()).pathname];
    return frame === undefined
      ? route.fulfill({ contentType: 'text/javascript', body: script })
      : route.fulfill({ contentType: 'text/html', body: frame });
  });
  await context.route('https://api.stripe.com/**', async (route: Route) => {
    const { pathname } = new URL(route.request().url());
    const body = route.request().postData() ?? '';
    const key = new URLSearchParams(body).get('key') ?? '';
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Authorization: `Bearer ${key}` };
    const response = await fetch(`${stripe.url}${pathname}`, { method: 'POST', headers, body });
    await route.fulfill({
      status: response.status,
      contentType: 'application/json',
      headers: { 'Access-Control-Allow-Origin': '*' },
      body: await response.text(),
    });
  });
}

export async function blockStripeForm(context: BrowserContext): Promise<void> {
  await context.route('https://js.stripe.com/**', (route) => route.abort('blockedbyclient'));
}

/** Types a card in the form's own frame, and waits until its message has reached the page. */
export async function typeInForm(page: Page, number: string = cards.success): Promise<void> {
  await page.frameLocator('[data-payment-form] iframe').getByLabel('Card number').fill(number);
  await untilTrue(page, `typedInStripe === '${number}'`);
}

/** Answers the bank's question in the frame that Stripe's script opens. */
export async function answerChallenge(page: Page, answer: 'Complete' | 'Fail' | 'Close'): Promise<void> {
  await clickAway(page.frameLocator('iframe[name=challenge]').getByRole('button', { name: answer }));
}

/** The options of the last form on the page. */
export const lastAsked = (page: Page) => page.evaluate<Record<string, unknown>>('askedOfStripe.at(-1)');

interface TokenOptions {
  number?: string;
  publishableKey?: string;
  /** The connected account, if the key is that of a platform. */
  account?: string;
}

/** A confirmation token as the form in a browser makes it. */
export function createPaymentToken(stripe: Pick<StripeServer, 'url'>, options: TokenOptions = {}): Promise<string> {
  return create(stripe, 'confirmation_tokens', 'payment_method_data', options);
}

/** A confirmation token of Link, as the form in a browser makes it. */
export async function createLinkToken({ url }: Pick<StripeServer, 'url'>, email: string): Promise<string> {
  const fields = { 'payment_method_data[type]': 'link', 'payment_method_data[link][email]': email };
  const response = await fetch(`${url}/v1/confirmation_tokens`, { method: 'POST', body: new URLSearchParams(fields) });
  return ((await response.json()) as { id: string }).id;
}

/** A payment method as the forms of existing clients make it. */
export function createPaymentMethod(stripe: Pick<StripeServer, 'url'>, options: TokenOptions = {}): Promise<string> {
  return create(stripe, 'payment_methods', '', options);
}

async function create(
  { url }: Pick<StripeServer, 'url'>,
  kind: string,
  within: string,
  { number = cards.success, publishableKey = '', account }: TokenOptions,
): Promise<string> {
  const fields = { number, exp_month: '12', exp_year: '2040' };
  const nameOf = (name: string) => (within === '' ? `card[${name}]` : `${within}[card][${name}]`);
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) body.set(nameOf(name), value);
  const headers: Record<string, string> = publishableKey === '' ? {} : { Authorization: `Bearer ${publishableKey}` };
  if (account !== undefined) headers['Stripe-Account'] = account;
  const response = await fetch(`${url}/v1/${kind}`, { method: 'POST', headers, body });
  return ((await response.json()) as { id: string }).id;
}
