import { z } from 'zod';
import { type Auth, type Caller, mayCall, merchant, signedIn } from '../../kit/auth';
import { html, type Html, type Written } from '../../kit/html';
import { Redirect, type PageResponse, type PageResponseOptions, type Visit } from '../../kit/pages/page';
import { isTestEnvironment } from '../../platform';
import { nextQuery } from '../customer/endedSession';
import { attempt, type Complaint } from '../layout/explain';
import { form } from '../layout/forms';
import { icon, type IconName } from '../layout/icons';
import { show } from '../layout/page';
import { accountLine } from '../layout/signedIn';
import { textsFor, type Texts } from '../layout/texts';
import { houseTheme, type Theme } from '../layout/theme';
import { searchBox } from './searchBox';

export { confirmButton } from '../layout/forms';

/** The common parts of the console: authentication, sections and navigation. */
export const inConsole = {
  area: 'console',
  signInAt: (visit: Visit) => `/console/sign-in?${new URLSearchParams(nextQuery(visit)).toString()}`,
} as const;

/** Only a page of the console is accepted as the next page. */
export const isInConsole = (address: string | undefined): address is string =>
  address !== undefined && /^\/console(?:[/?]|$)/.test(address);

export type MerchantVisit = Visit & { caller: Caller };

/** The query of lists, and the confirmation of the last form. */
export const listQuery = {
  page: z.string().optional(),
  size: z.string().optional(),
  search: z.string().optional(),
  done: z.string().optional(),
};

/** The order of a list. */
export const orderQuery = { sort: z.string().optional(), order: z.string().optional() };

interface Section {
  address: string;
  auth: Auth;
  icon: IconName;
  group?: 'sell' | 'people' | 'insight' | 'workspace';
  isTestOnly?: true;
  /** The features of the section, with their URLs. The section is shown if at least one of them is on. */
  features?: Readonly<Record<string, string>>;
}

/** In the order of the menu, where sections of one group stand together. */
const sections = {
  overview: { address: '/console', auth: signedIn(), icon: 'overview' },
  catalogue: { address: '/console/items', auth: merchant('items:read'), icon: 'catalogue', group: 'sell' },
  vouchers: {
    address: '/console/vouchers',
    auth: merchant('vouchers:read'),
    icon: 'vouchers',
    group: 'sell',
    features: { vouchers: '/console/vouchers', gifts: '/console/gifts' },
  },
  branding: { address: '/console/branding', auth: merchant('branding:write'), icon: 'branding', group: 'sell' },
  restrictions: {
    address: '/console/restrictions',
    auth: merchant('restrictions:write'),
    icon: 'restrictions',
    group: 'sell',
  },
  customers: { address: '/console/customers', auth: merchant('accounts:read'), icon: 'customers', group: 'people' },
  subscriptions: {
    address: '/console/subscriptions',
    auth: merchant('payments:read'),
    icon: 'subscriptions',
    group: 'people',
  },
  transactions: {
    address: '/console/transactions',
    auth: merchant('payments:read'),
    icon: 'transactions',
    group: 'people',
  },
  reports: { address: '/console/reports', auth: merchant('reports:read'), icon: 'reports', group: 'insight' },
  audit: { address: '/console/audit', auth: merchant('accounts:read'), icon: 'audit', group: 'insight' },
  team: { address: '/console/team', auth: merchant('staff:write'), icon: 'customers', group: 'workspace' },
  settings: { address: '/console/settings', auth: merchant('settings:write'), icon: 'settings', group: 'workspace' },
  clock: {
    address: '/console/test-clock',
    auth: merchant('settings:write'),
    icon: 'clock',
    group: 'workspace',
    isTestOnly: true,
  },
  mailbox: {
    address: '/console/test-mailbox',
    auth: merchant('accounts:read'),
    icon: 'mail',
    group: 'workspace',
    isTestOnly: true,
  },
} as const satisfies Record<string, Section>;
export type SectionName = keyof typeof sections;

export interface Frame {
  /** `security` and `search` are in the banner instead of the menu. */
  section: SectionName | 'security' | 'search';
  title: string;
  /** The link to the previous page. */
  back?: { address: string; text: string };
  /** The actions beside the title. */
  actions?: Written;
  /** The term of the search box. */
  term?: string;
  /** The confirmation of the last form, from the parameter `done`. */
  done?: string | undefined;
}

/** Shows the content in the frame of the console. */
export function showInConsole(
  visit: Visit,
  place: Frame,
  content: Html,
  options: PageResponseOptions = {},
): PageResponse {
  const texts = textsFor(visit);
  const { title, back, actions } = place;
  const { signedInAs: person } = visit;
  const whole = html`<div class="sided">
    ${menu(visit, texts, place.section)}
    <div class="stack roomy" id="page" tabindex="-1">
      <div class="stack">
        ${back && html`<p><a class="back" href="${back.address}">${icon('back')}${back.text}</a></p>`}
        <div class="row spread">
          <h1>${title}</h1>
          ${actions === undefined ? '' : html`<div class="row">${actions}</div>`}
        </div>
        ${confirmation(texts, place.done)}
      </div>
      ${content}
    </div>
  </div>`;
  const isCurrent = place.section === 'security' ? html`aria-current="page"` : '';
  // Somebody who acts as the account does not see what belongs to its person.
  const isPerson = visit.caller !== undefined && mayCall(signedIn(), visit.caller);
  const security =
    isPerson &&
    html`<a class="on-banner" href="/console/security" ${isCurrent}>${texts.t('console.security.title')}</a>`;
  const banner = html`${searchBox(visit, texts, place.term)}
    <div class="push row">${person && accountLine(texts, person.email)} ${security} ${signOutForm(visit, texts)}</div>`;
  const name = person?.merchantName || texts.t('console.name');
  const frame = { title, banner, skipTo: 'page', theme: { ...consoleTheme, name } };
  return show(visit, frame, visit.isFragment ? content : whole, options);
}

function menu(visit: Visit, { t }: Texts, current: Frame['section']): Html {
  const { caller } = visit;
  const visible = Object.entries(sections as Record<SectionName, Section>)
    .filter(([, { auth, isTestOnly }]) => caller && mayCall(auth, caller) && (!isTestOnly || isTestEnvironment))
    .flatMap(([name, section]) => {
      const address = addressOf(visit, section);
      return address === undefined ? [] : [{ ...section, name: name as SectionName, address }];
    });
  const links = visible.map(({ name, address, group, icon: sign }, index) => {
    const isCurrent = name === current ? html`aria-current="page"` : '';
    const isFirst = group !== undefined && group !== visible[index - 1]?.group;
    return html`${isFirst && html`<li class="menu-title" aria-hidden="true">${t(`console.groups.${group}`)}</li>`}
      <li><a href="${address}" ${isCurrent}>${icon(sign)}${t(`console.sections.${name}`)}</a></li>`;
  });
  return html`<nav class="console-menu" aria-label="${t('common.menu')}">
    <ul class="menu">
      ${links}
    </ul>
  </nav>`;
}

/** The URL of the first feature that is on. Undefined if all are off. */
function addressOf({ isOff }: Visit, { address, features }: Section): string | undefined {
  if (!features) return address;
  return Object.entries(features).find(([feature]) => !isOff(feature))?.[1];
}

/** The address of the person. The name of the merchant stands at the start of the banner. */
function signOutForm(visit: Visit, { t }: Texts): Html {
  const content = html`<button type="submit" class="plain on-banner">${t('common.signOut')}</button>`;
  return form(visit, { action: '/console/sign-out', content, className: 'row' });
}

const confirmations = ['saved', 'created', 'deleted', 'sent', 'refunded', 'changed', 'moved', 'hidden'] as const;

function confirmation({ t }: Texts, done: string | undefined): Html {
  const name = confirmations.find((known) => known === done);
  return html`${name === undefined ? '' : html`<p class="alert good" role="status">${t(`console.done.${name}`)}</p>`}`;
}

export const consoleTheme: Theme = { ...houseTheme, name: '', primary: '#4f46e5' };

/** The URL of the next page, or the page itself. */
export type Next = string | PageResponse | Promise<PageResponse>;

interface ConsoleAction<T> {
  work: () => Promise<T>;
  /** The page of the form, shown again with its errors. Without it, an error has its own page. */
  again?: ((complaint: Complaint) => Promise<PageResponse> | PageResponse) | undefined;
  next: string | ((done: T) => Next);
}

/** Runs the request of a form and shows the next page. Errors that the merchant can correct are shown in the form. */
export async function carryOut<T>(
  visit: Visit,
  { work, again, next }: ConsoleAction<T>,
): Promise<PageResponse | Redirect> {
  const outcome = await attempt(textsFor(visit), work);
  if ('done' in outcome) return follow(next, outcome.done);
  if (!again) throw outcome.error;
  return again(outcome.refused);
}

async function follow<T>(next: ConsoleAction<T>['next'], done: T): Promise<PageResponse | Redirect> {
  const to = await (typeof next === 'string' ? next : next(done));
  return typeof to === 'string' ? new Redirect(to) : to;
}

/** A form with errors has the status 422. */
export const refusedIf = (complaint: Complaint | undefined): PageResponseOptions => (complaint ? { status: 422 } : {});

/** A form in a card. */
export function formCard(visit: Visit, action: string, content: Html, title?: string): Html {
  return html`<section class="card stack">
    ${title === undefined ? '' : html`<h2>${title}</h2>`} ${form(visit, { action, content })}
  </section>`;
}

/** The fields of a form for somebody who may only read them. */
export function readOnlyCard(content: Html, title?: string): Html {
  return html`<section class="card stack">
    ${title === undefined ? '' : html`<h2>${title}</h2>`}
    <fieldset disabled class="stack">${content}</fieldset>
  </section>`;
}

/** A folded section, which is open if it contains an error. */
export function folded(title: string, content: Html, isOpen: boolean): Html {
  return html`<details class="more" ${isOpen ? 'open' : ''}>
    <summary>${title}</summary>
    ${content}
  </details>`;
}

/** Shows the content in the frame of the pages before the sign-in. */
export function showEntry(visit: Visit, title: string, content: Html, complaint: Complaint | undefined): PageResponse {
  const theme = { ...consoleTheme, name: textsFor(visit).t('console.name') };
  return show(visit, { title, theme, isNarrow: true }, content, complaint ? { status: 422 } : {});
}
