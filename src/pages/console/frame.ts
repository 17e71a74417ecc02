import { z } from 'zod';
import { type Auth, mayCall, merchant, signedIn } from '../../kit/auth';
import { html, type Html, type Written } from '../../kit/html';
import { Redirect, type Shown, type ShownOptions, type Visit } from '../../kit/pages/page';
import { isTestEnvironment } from '../../platform/service';
import { attempt, type Complaint } from '../layout/explain';
import { form } from '../layout/forms';
import { show } from '../layout/page';
import { textsFor, type TextKey, type Texts } from '../layout/texts';
import { houseTheme, type Theme } from '../layout/theme';

export { asking } from '../layout/forms';

/** What every page of the console has in common: who may see it, where it stands, and the way to the others. */
export const inConsole = { area: 'console', signInAt: ({ address }: Visit) => signInAddress(address) } as const;

const signInAddress = (next: string) => `/console/sign-in?${new URLSearchParams({ next }).toString()}`;

/** What lists are asked by, and what the last form did. */
export const listQuery = { page: z.string().optional(), search: z.string().optional(), done: z.string().optional() };
export const ListQuery = z.object(listQuery);
export const IdPath = z.object({ id: z.string() });
interface Section {
  address: string;
  auth: Auth;
  isTestOnly?: true;
  /** Shown while one of these is on: by feature, where it then leads. */
  features?: Readonly<Record<string, string>>;
}

const sections = {
  overview: { address: '/console', auth: signedIn() },
  catalogue: { address: '/console/items', auth: merchant('items:read') },
  customers: { address: '/console/customers', auth: merchant('accounts:read') },
  subscriptions: { address: '/console/subscriptions', auth: merchant('payments:read') },
  transactions: { address: '/console/transactions', auth: merchant('payments:read') },
  vouchers: {
    address: '/console/vouchers',
    auth: merchant('vouchers:read'),
    features: { vouchers: '/console/vouchers', gifts: '/console/gifts' },
  },
  branding: { address: '/console/branding', auth: merchant('branding:write') },
  restrictions: { address: '/console/restrictions', auth: merchant('restrictions:write') },
  reports: { address: '/console/reports', auth: merchant('reports:read') },
  settings: { address: '/console/settings', auth: merchant('settings:write') },
  clock: { address: '/console/test-clock', auth: merchant('settings:write'), isTestOnly: true },
  mailbox: { address: '/console/test-mailbox', auth: merchant('accounts:read'), isTestOnly: true },
  audit: { address: '/console/audit', auth: merchant('accounts:read') },
} as const satisfies Record<string, Section>;
export type SectionName = keyof typeof sections;

export interface Place {
  section: SectionName;
  title: string;
  /** Where one comes from. */
  back?: { address: string; text: string };
  /** Beside the title. */
  actions?: Written;
  /** What the last form did, as `done` in the address tells. */
  done?: string | undefined;
}

/** A page of the console around its content. */
export function showInConsole(visit: Visit, place: Place, content: Html, options: ShownOptions = {}): Shown {
  const texts = textsFor(visit);
  const { title, back, actions } = place;
  const whole = html`<div class="sided">
    ${menu(visit, texts, place.section)}
    <div class="stack roomy" id="page">
      <div class="stack">
        ${back === undefined ? '' : html`<p class="small"><a href="${back.address}">${back.text}</a></p>`}
        <div class="row spread">
          <h1>${title}</h1>
          ${actions === undefined ? '' : html`<div class="row">${actions}</div>`}
        </div>
        ${told(texts, place.done)}
      </div>
      ${content}
    </div>
  </div>`;
  const banner = html`<div class="push">${signOutForm(visit, texts)}</div>`;
  const frame = { title, banner, theme: { ...consoleTheme, name: texts.t('console.name') } };
  return show(visit, frame, visit.isFragment ? content : whole, options);
}

function menu(visit: Visit, { t }: Texts, current: SectionName): Html {
  const { caller } = visit;
  const visible = Object.entries(sections as Record<SectionName, Section>)
    .filter(([, { auth, isTestOnly }]) => caller && mayCall(auth, caller) && (!isTestOnly || isTestEnvironment))
    .map(([name, section]) => [name, { address: addressOf(visit, section) }] as const)
    .filter((entry): entry is [string, { address: string }] => entry[1].address !== undefined);
  const links = visible.map(([name, { address }]) => {
    const isCurrent = name === current ? html`aria-current="page"` : '';
    return html`<li><a href="${address}" ${isCurrent}>${t(`console.sections.${name as SectionName}`)}</a></li>`;
  });
  return html`<nav class="console-menu" aria-label="${t('common.menu')}">
    <ul class="menu">
      ${links}
    </ul>
  </nav>`;
}

/** Undefined: all that it shows is turned off. */
function addressOf({ isOff }: Visit, { address, features }: Section): string | undefined {
  if (!features) return address;
  return Object.entries(features).find(([feature]) => !isOff(feature))?.[1];
}

function signOutForm(visit: Visit, { t }: Texts): Html {
  const content = html`<button type="submit" class="plain on-banner">${t('common.signOut')}</button>`;
  return form(visit, { action: '/console/sign-out', content, className: 'row' });
}

const deeds = ['saved', 'created', 'deleted', 'sent', 'refunded', 'changed', 'moved'] as const;

function told({ t }: Texts, done: string | undefined): Html {
  const deed = deeds.find((known) => known === done);
  return html`${deed === undefined ? '' : html`<p class="alert good" role="status">${t(`console.done.${deed}`)}</p>`}`;
}

export const consoleTheme: Theme = { ...houseTheme, name: '', primary: '#16213e' };

interface Deed<T> {
  work: () => Promise<T>;
  /** The form again, with what is wrong. */
  again: (complaint: Complaint) => Promise<Shown> | Shown;
  next: string | ((done: T) => string);
}

/** Does what a form asks for, and leads on; what the merchant can mend is said in the form. */
export async function carryOut<T>(visit: Visit, { work, again, next }: Deed<T>): Promise<Shown | Redirect> {
  const tried = await attempt(textsFor(visit), work);
  if ('refused' in tried) return again(tried.refused);
  return new Redirect(typeof next === 'string' ? next : next(tried.done));
}

/** A form's page again is a 422. */
export const refusedIf = (complaint: Complaint | undefined): ShownOptions => (complaint ? { status: 422 } : {});

/** A form in a box of its own. */
export function formCard(visit: Visit, action: string, content: Html, title?: string): Html {
  return html`<section class="card stack">
    ${title === undefined ? '' : html`<h2>${title}</h2>`} ${form(visit, { action, content })}
  </section>`;
}

/** What is not needed every day, behind its title; open where something in it is wrong. */
export function folded(title: string, content: Html, isOpen: boolean): Html {
  return html`<details class="more" ${isOpen ? 'open' : ''}>
    <summary>${title}</summary>
    ${content}
  </details>`;
}

/** A text of the catalogue by a name that comes from an endpoint; the name itself where there is none. */
export function named({ t }: Texts, section: string, name: string): string {
  const key = `console.${section}.${name.replaceAll(/[.:]/g, '_')}`;
  const text = t(key as TextKey);
  return text === key ? name : text;
}
