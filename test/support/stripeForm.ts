import { type BrowserContext, type Page, type Route } from 'playwright-core';
import { cards } from './factories';
import { type StripeServer, stripeSettings } from './stripeServer';

/** A stand-in for js.stripe.com: the part of Stripe.js that our pages use. Its cards are methods of the stand-in server. */

/** The settings of a service whose pages show Stripe's form. */
export const formSettings = (stripe: Pick<StripeServer, 'url'>) => ({
  ...stripeSettings(stripe),
  STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
  STRIPE_RAW_CARDS: 'false',
});

/** The script keeps what it was asked for in `window.askedOfStripe`. Like Stripe's, it reads the card in a frame of its own. */
const script = `
window.askedOfStripe = [];
window.Stripe = (key) => ({
  elements(options) {
    if (options.mode === 'payment' && !(options.amount > 0)) throw new Error('A payment needs an amount');
    window.askedOfStripe.push({ key, ...options });
    const listeners = {};
    const elements = { number: '' };
    const hear = ({ origin, data }) => {
      if (origin !== 'https://js.stripe.com') return;
      elements.number = data;
      listeners.change?.();
    };
    return Object.assign(elements, {
      create: () => ({
        on: (event, listener) => (listeners[event] = listener),
        mount(place) {
          const frame = document.createElement('iframe');
          frame.title = 'Secure payment input frame';
          frame.style.width = '100%';
          frame.src = 'https://js.stripe.com/card';
          place.replaceChildren(frame);
          window.addEventListener('message', hear);
        },
        destroy: () => window.removeEventListener('message', hear),
      }),
      submit: async () => (elements.number === '' ? { error: { message: 'Your card number is incomplete.' } } : {}),
    });
  },
  async createPaymentMethod({ elements }) {
    const body = new URLSearchParams({ key, type: 'card', 'card[number]': elements.number, 'card[exp_month]': '12', 'card[exp_year]': '2040' });
    const answer = await (await fetch('https://api.stripe.com/v1/payment_methods', { method: 'POST', body })).json();
    return answer.error ? { error: answer.error } : { paymentMethod: answer };
  },
});`;

const cardFrame = `<!doctype html><title>Card</title><label>Card number <input name="number"></label>
<script>document.querySelector('input').oninput = ({ target }) => parent.postMessage(target.value, '*');</script>`;

/** What the browser asks of Stripe is answered by the stand-ins. */
export async function serveStripeForm(context: BrowserContext, stripe: Pick<StripeServer, 'url'>): Promise<void> {
  await context.route('https://js.stripe.com/**', (route) =>
    route.request().url().endsWith('/card')
      ? route.fulfill({ contentType: 'text/html', body: cardFrame })
      : route.fulfill({ contentType: 'text/javascript', body: script }),
  );
  await context.route('https://api.stripe.com/**', async (route: Route) => {
    const { pathname } = new URL(route.request().url());
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const body = route.request().postData() ?? '';
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

/** Types a card in the form's own frame. */
export async function typeInForm(page: Page, number: string = cards.success): Promise<void> {
  await page.frameLocator('[data-payment-form] iframe').getByLabel('Card number').fill(number);
}

/** The options of the last form on the page. */
export const lastAsked = (page: Page) => page.evaluate<Record<string, unknown>>('askedOfStripe.at(-1)');

/** A payment method as the form in a browser makes it. */
export async function createPaymentToken({ url }: Pick<StripeServer, 'url'>, publishableKey = ''): Promise<string> {
  const card = { 'card[number]': cards.success, 'card[exp_month]': '12', 'card[exp_year]': '2040' };
  const body = new URLSearchParams({ type: 'card', ...card });
  const headers = { Authorization: `Bearer ${publishableKey}` };
  const response = await fetch(`${url}/v1/payment_methods`, { method: 'POST', headers, body });
  return ((await response.json()) as { id: string }).id;
}
