import { type FormTexts } from './formTexts';

/** The frames and the script of the sandbox's payment form. A card number stays in the frame and in this process. */

/**
 * The script for the pages of the service. It has the functions of Stripe's script that `src/pages/browser/paymentForm.ts`
 * uses, so that both providers have the same code on the page.
 */
export const formScript = `{
const base = new URL(document.currentScript.src).origin;

/** A frame hears a question only after it has loaded. */
const loaded = new WeakMap();

const openFrame = (path, fields, place, title) => {
  const frame = document.createElement('iframe');
  frame.title = title;
  frame.src = base + path + '?' + new URLSearchParams(fields);
  // With its final height from the start, the buttons below do not move while the frame loads.
  Object.assign(frame.style, { width: '100%', height: '310px', border: '0' });
  loaded.set(frame, new Promise((resolve) => (frame.onload = resolve)));
  place.append(frame);
  return frame;
};

/** Calls back with each message of a frame. Returns what ends that. */
const hear = (frame, listener) => {
  const listen = ({ origin, source, data }) => {
    if (origin === base && source === frame.contentWindow) listener(data);
  };
  window.addEventListener('message', listen);
  return () => window.removeEventListener('message', listen);
};

const ask = (frame, kind) =>
  new Promise((resolve) => {
    const end = hear(frame, (data) => {
      if (data.kind !== kind + ' done') return;
      end();
      resolve(data);
    });
    void loaded.get(frame).then(() => frame.contentWindow.postMessage({ kind }, base));
  });

window.Stripe = (key) => ({
  elements(options) {
    const listeners = {};
    let frame;
    let end = () => {};
    return {
      frame: () => frame,
      create: () => ({
        on: (event, listener) => (listeners[event] = listener),
        mount(place) {
          const { mode, amount = 0, currency, paymentMethodTypes = [], locale = 'en', appearance = {} } = options;
          const methods = paymentMethodTypes.join(' ');
          const fields = { key, mode, amount, currency, methods, lang: locale, theme: appearance.theme ?? '' };
          place.replaceChildren();
          frame = openFrame('/form/card', fields, place, 'Payment form of the sandbox');
          end = hear(frame, ({ kind, height }) => {
            if (kind === 'change') listeners.change?.();
            if (kind === 'height') frame.style.height = height + 'px';
          });
        },
        destroy: () => end(),
      }),
      submit: () => ask(frame, 'submit'),
    };
  },

  createConfirmationToken: ({ elements }) => ask(elements.frame(), 'tokenise'),

  async handleNextAction({ clientSecret }) {
    const lang = document.documentElement.lang;
    const frame = openFrame('/form/challenge', { key, lang, reference: clientSecret }, document.body, 'Bank (test)');
    const whole = { position: 'fixed', inset: '0', height: '100%', zIndex: '1000' };
    Object.assign(frame.style, whole);
    const answer = await new Promise((resolve) => {
      const end = hear(frame, (data) => {
        if (data.kind !== 'answered') return;
        end();
        resolve(data.answer);
      });
    });
    frame.remove();
    return answer === 'approved' ? {} : { error: { message: 'The payer has not confirmed.' } };
  },
});
}`;

export interface FormPage {
  language: string;
  texts: FormTexts;
  isDark: boolean;
  /** Of the account, as in `PaymentForm.publishableKey`. */
  key: string;
}

/** The frame with the fields of a card, the wallet and Link. `sum`: what is paid now; empty if the card is only saved. */
export function cardFrame(
  { texts, key, ...page }: FormPage,
  { sum, hasLink }: { sum: string; hasLink: boolean },
): string {
  const { number, expiry, code, incomplete, walletClosed } = texts;
  const link = hasLink ? `<label><input type="radio" name="how" value="link"> ${texts.link}</label>` : '';
  const content = `<fieldset><legend>${texts.how}</legend>
<label><input type="radio" name="how" value="card" checked> ${texts.card}</label>
<label><input type="radio" name="how" value="wallet"> ${texts.wallet}</label>${link}</fieldset>
<div id="fields"><label>${number}<input name="number" inputmode="numeric" autocomplete="cc-number" dir="ltr"></label>
<label>${expiry}<input name="expiry" inputmode="numeric" autocomplete="cc-exp" dir="ltr" placeholder="12/40"></label>
<label>${code}<input name="code" inputmode="numeric" autocomplete="cc-csc" dir="ltr"></label></div>
<section id="sheet" hidden aria-labelledby="asked"><h1 id="asked">${texts.sheet}</h1><p>${escape(sum)}</p>
<button value="confirm">${texts.confirm}</button> <button value="close">${texts.close}</button></section>`;
  const settings = { key, incomplete, walletClosed };
  return render({ ...page, texts }, content, `const settings = ${JSON.stringify(settings)};${cardScript}`);
}

/** The question of the bank. `lines`: what is paid. */
export function challengeFrame({ texts, key, ...page }: FormPage, reference: string, lines: string[]): string {
  const content = `<main class="asked"><h1>${texts.challenge}</h1>${lines.map((line) => `<p>${escape(line)}</p>`).join('')}
<button value="approved">${texts.complete}</button> <button value="refused">${texts.fail}</button>
<button value="closed">${texts.close}</button></main>`;
  const settings = { key, reference };
  return render({ ...page, texts }, content, `const settings = ${JSON.stringify(settings)};${challengeScript}`);
}

const cardScript = `
const field = (name) => document.querySelector('[name=' + name + ']');
const how = () => document.querySelector('[name=how]:checked').value;
const isWallet = () => how() !== 'card';
const sheet = document.getElementById('sheet');
const tell = (message) => parent.postMessage(message, '*');
const tellHeight = () => tell({ kind: 'height', height: Math.max(310, Math.ceil(document.body.getBoundingClientRect().height)) });
document.addEventListener('input', () => {
  document.getElementById('fields').hidden = isWallet();
  tell({ kind: 'change' });
  tellHeight();
});
const check = async () => {
  if (!isWallet()) {
    const isComplete = /^[\\d ]{12,23}$/.test(field('number').value) && /^\\d\\d ?\\/ ?\\d\\d$/.test(field('expiry').value)
      && /^\\d{3,4}$/.test(field('code').value);
    return isComplete ? {} : { error: { message: settings.incomplete } };
  }
  sheet.hidden = false;
  tellHeight();
  sheet.querySelector('button').focus();
  const answer = await new Promise((resolve) => (sheet.onclick = ({ target }) => target.value && resolve(target.value)));
  sheet.hidden = true;
  tellHeight();
  return answer === 'confirm' ? {} : { error: { message: settings.walletClosed } };
};
const tokenise = async () => {
  const [month, year] = field('expiry').value.split('/').map((part) => part.trim());
  const typed = isWallet() ? { how: how() } : { number: field('number').value.replaceAll(' ', ''), month, year: '20' + year };
  const body = new URLSearchParams({ key: settings.key, ...typed });
  // Without an answer the page says that the form does not work.
  const answer = await fetch('/form/tokens', { method: 'POST', body })
    .then((response) => response.json()).catch(() => ({ error: {} }));
  return answer.error ? { error: answer.error } : { confirmationToken: answer };
};
window.addEventListener('message', async ({ source, data }) => {
  if (source !== parent) return;
  if (data.kind === 'submit') tell({ kind: 'submit done', ...(await check()) });
  if (data.kind === 'tokenise') tell({ kind: 'tokenise done', ...(await tokenise()) });
});
tellHeight();`;

const challengeScript = `
document.addEventListener('click', async ({ target: { value } }) => {
  if (!value) return;
  const body = new URLSearchParams({ ...settings, answer: value });
  // An answer that did not arrive is none: the payer can open the question again.
  const send = () => fetch('/form/answers', { method: 'POST', body }).then(() => value, () => 'closed');
  parent.postMessage({ kind: 'answered', answer: value === 'closed' ? value : await send() }, '*');
});`;

function render({ language, texts, isDark }: Omit<FormPage, 'key'>, content: string, script: string): string {
  const isArabic = /^ar\b/i.test(language);
  return `<!doctype html><html lang="${isArabic ? 'ar' : 'en'}" dir="${isArabic ? 'rtl' : 'ltr'}" class="${isDark ? 'dark' : ''}">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${texts.title}</title>
<style>${style}</style>${content}<script>${script}</script></html>`;
}

export const framePolicy =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; form-action 'none'";

const style = `html{font:1rem/1.5 system-ui,sans-serif;color:#1d2129}
.dark{color:#f4f5f7;color-scheme:dark}
body{margin:0;padding:2px}
fieldset{border:0;margin:0 0 .5rem;padding:0}
label{display:block;margin-bottom:.5rem}
input:not([type=radio]){display:block;box-sizing:border-box;width:100%;font:inherit;padding:.5rem;border:1px solid #6b7280;border-radius:.4rem}
[hidden]{display:none!important}
h1{font-size:1.1rem}
button{font:inherit;min-height:44px;padding:.5rem 1rem;border:1px solid #1d4ed8;border-radius:.4rem;background:#1d4ed8;color:#fff}
button+button{background:#fff;color:#1d4ed8}
.asked{max-width:26rem;margin:10vh auto;padding:1.5rem;background:#fff;color:#1d2129;border:1px solid #6b7280;border-radius:.5rem}`;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string) => text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);
