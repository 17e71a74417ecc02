import { signedIn } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { type PageResponse, type PageResponseOptions, type Visit } from '../../kit/pages/page';
import { nextQuery } from '../customer/endedSession';
import { form } from '../layout/forms';
import { icon, type IconName } from '../layout/icons';
import { show } from '../layout/page';
import { accountLine } from '../layout/signedIn';
import { textsFor, type Texts } from '../layout/texts';
import { operatorTheme } from '../layout/theme';

/** Parts that the operators' pages share. */

export const operatorPath = '/operator';
export const securityPath = '/operator/security';

/** The endpoints check the role and the recent code. The pages show where to enter the code. */
export const inOperator = {
  area: 'operator',
  auth: signedIn(),
  signInAt: (visit: Visit) => `/operator/sign-in?${new URLSearchParams(nextQuery(visit)).toString()}`,
} as const;

/** Only a page of the operators is accepted as the next page. */
export const isInOperator = (address: string | undefined): address is string =>
  address !== undefined && /^\/operator(?:[/?]|$)/.test(address);

const sections = {
  merchants: operatorPath,
  queues: '/operator/waiting',
  actions: '/operator/actions',
  security: securityPath,
} as const;
const icons = {
  merchants: 'customers',
  queues: 'inbox',
  actions: 'audit',
  security: 'shield',
} as const satisfies Record<SectionName, IconName>;
export type SectionName = keyof typeof sections;

interface OperatorPage {
  section: SectionName;
  title: string;
  back?: { address: string; text: string };
  /** The confirmation of the last form. */
  done?: string | undefined;
}

export function showInOperator(
  visit: Visit,
  { section, title, back, done }: OperatorPage,
  content: Html,
  options: PageResponseOptions = {},
): PageResponse {
  const texts = textsFor(visit);
  const whole = html`<div class="sided">
    ${menu(texts, section)}
    <div class="stack roomy" id="page" tabindex="-1">
      <div class="stack">
        ${back && html`<p><a class="back" href="${back.address}">${icon('back')}${back.text}</a></p>`}
        <h1><bdi>${title}</bdi></h1>
        ${confirmationOf(texts, done)}
      </div>
      ${content}
    </div>
  </div>`;
  const out = html`<button type="submit" class="plain on-banner">${texts.t('common.signOut')}</button>`;
  const { signedInAs: person } = visit;
  const banner = html`<div class="push row">
    ${person && accountLine(texts, person.email)}
    ${form(visit, { action: '/operator/sign-out', content: out, className: 'row' })}
  </div>`;
  const theme = { ...operatorTheme, name: texts.t('operator.name') };
  return show(visit, { title, banner, theme }, visit.isFragment ? content : whole, options);
}

function menu({ t }: Texts, current: SectionName): Html {
  const links = Object.entries(sections).map(([name, address]) => {
    const isCurrent = name === current ? html`aria-current="page"` : '';
    const text = t(`operator.sections.${name as SectionName}`);
    return html`<li><a href="${address}" ${isCurrent}>${icon(icons[name as SectionName])}${text}</a></li>`;
  });
  return html`<nav class="console-menu" aria-label="${t('common.menu')}">
    <ul class="menu">
      ${links}
    </ul>
  </nav>`;
}

const confirmations = ['approved', 'suspended', 'resumed', 'changed', 'sent', 'emailSent', 'discarded'] as const;

function confirmationOf({ t }: Texts, done: string | undefined): Html {
  const confirmation = confirmations.find((known) => known === done);
  return html`${confirmation && html`<p class="alert good" role="status">${t(`operator.done.${confirmation}`)}</p>`}`;
}
