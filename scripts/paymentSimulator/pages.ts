import { type Account } from './account';
import { type Accounts } from './accounts';
import { Refusal } from './refusal';
import { type Answer, type ReceivedRequest } from './server';

/**
 * The pages that a payer sees at the provider and at the bank: `/pages/<account id>/<page>/<reference>`. To add a page, for
 * example of a wallet: put a `Page` into `pages` below. The charge's answer to the service then carries the address, from
 * `pageUrl`; `answer` changes the ledger through `account` and returns the address to which the browser goes back.
 */
export interface Page {
  /** The page while the payer has not answered; undefined once nothing waits. */
  show(account: Account, reference: string): PageContent | undefined;
  /** The payer has chosen a button. The browser is sent to the address, or stays if it is null. */
  answer(account: Account, reference: string, button: string): string | null;
}

export interface PageContent {
  title: string;
  /** One paragraph each. */
  lines: readonly string[];
  /** The values and the texts of the buttons. */
  buttons: Readonly<Record<string, string>>;
}

const authenticate: Page = {
  show(account, reference) {
    const found = account.findAuthentication(reference);
    if (!found) return undefined;
    const amount = found.amount ? [`${found.amount.minor} ${found.amount.currency} (minor units)`] : [];
    return {
      title: 'Your bank (test)',
      lines: [found.description, ...amount],
      buttons: { approved: 'Approve', refused: 'Refuse' },
    };
  },
  answer: (account, reference, button) =>
    account.answerAuthentication(reference, button === 'approved' ? 'approved' : 'refused'),
};

const pages: Record<string, Page> = { authenticate };

/** The address of a payer's page. `base`: the public address of this process. */
export const pageUrl = (base: string, accountId: string, page: keyof typeof pages, reference: string) =>
  `${base}/pages/${accountId}/${page}/${reference}`;

export function answerPage(accounts: Accounts, { method, parts, body }: ReceivedRequest): Answer {
  const [, accountId = '', name = '', reference = ''] = parts;
  const account = accounts.find(accountId)?.account;
  const page = Object.hasOwn(pages, name) ? pages[name] : undefined;
  if (!account || !page) return { status: 404, body: render(nothing) };
  try {
    if (method !== 'POST') return show(page, account, reference);
    const target = page.answer(account, reference, new URLSearchParams(body).get('answer') ?? '');
    return target === null ? show(page, account, reference) : { status: 303, body: '', headers: { Location: target } };
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: render(nothing) };
    throw error;
  }
}

const nothing: PageContent = { title: 'Nothing waits here', lines: ['You can close this page.'], buttons: {} };

function show(page: Page, account: Account, reference: string): Answer {
  const content = page.show(account, reference);
  return {
    status: content ? 200 : 404,
    body: render(content ?? nothing),
    headers: { 'Content-Security-Policy': policy },
  };
}

const policy = "default-src 'none'; style-src 'unsafe-inline'; form-action *; frame-ancestors 'none'";

function render({ title, lines, buttons }: PageContent): string {
  const paragraphs = lines.map((line) => `<p>${escape(line)}</p>`).join('');
  const choices = Object.entries(buttons)
    .map(([value, text]) => `<button name="answer" value="${escape(value)}">${escape(text)}</button>`)
    .join(' ');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(title)}</title><style>${style}</style><main><h1>${escape(title)}</h1>${paragraphs}
<form method="post">${choices}</form></main></html>`;
}

const style = `body{font:1rem/1.5 system-ui,sans-serif;margin:0;padding:1rem;background:#f4f5f7;color:#1d2129}
main{max-width:26rem;margin:10vh auto;padding:1.5rem;background:#fff;border-radius:.5rem}
button{font:inherit;padding:.6rem 1.2rem;border:1px solid #1d4ed8;border-radius:.4rem;background:#1d4ed8;color:#fff}
button+button{background:#fff;color:#1d4ed8}`;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string) => text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);
