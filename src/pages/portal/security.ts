import { z } from 'zod';
import { passkeyEndpoints } from '../../accounts/passkeys/passkeys.endpoints';
import { identityEndpoints } from '../../accounts/signIn/identities.endpoints';
import { secondFactorEndpoints } from '../../accounts/secondFactors/secondFactors.endpoints';
import { sessionEndpoints } from '../../accounts/tokens/sessions.endpoints';
import { html, type Html } from '../../kit/html';
import { page, Redirect, type PageResponse } from '../../kit/pages/page';
import { type RowOf } from '../layout/answers';
import { confirmButton } from '../layout/forms';
import { pager } from '../layout/lists';
import { asksPassword } from '../customer/confirmation';
import { passkeySection } from '../customer/passkeys';
import { type Complaint } from '../layout/explain';
import { factorSection, type RefusedForm } from '../customer/secondFactor';
import { sessionList } from '../customer/sessions';
import { addressIn, good, inPortal, openPortal, type Portal, portalPath, showInPortal, text } from './frame';

/** The sessions of a customer, and the services that the customer signs in with. */

const atSecurity = { ...inPortal, path: `${portalPath}/security` } as const;

export const securityPages = {
  showSecurity: page({
    ...atSecurity,
    method: 'get',
    summary: 'The sessions and the linked services of a customer',
    query: z.object({ done: text, page: text, lang: text }),
    handler: async (visit) => securityPage(await openPortal(visit), visit.query),
  }),
  endOtherSessionsInPortal: page({
    ...atSecurity,
    method: 'post',
    path: `${portalPath}/security/sessions/end-others`,
    summary: 'Ends the customer’s other sessions',
    handler: async (visit) => {
      await visit.call(sessionEndpoints.endOtherSessions);
      return done(await openPortal(visit), 'sessionsEnded');
    },
  }),
  endSessionInPortal: page({
    ...atSecurity,
    method: 'post',
    path: `${portalPath}/security/sessions/{session_id}/end`,
    params: inPortal.params.extend({ session_id: z.string() }),
    summary: 'Ends a session',
    handler: async (visit) => {
      const { session_id } = visit.params;
      await visit.call(sessionEndpoints.endSession, { params: { session_id } });
      return done(await openPortal(visit), 'sessionsEnded');
    },
  }),
  unlinkIdentityInPortal: page({
    ...atSecurity,
    method: 'post',
    path: `${portalPath}/security/services/{provider}/unlink`,
    params: inPortal.params.extend({ provider: z.string() }),
    summary: 'Unlinks another service from the account',
    handler: async (visit) => {
      const { provider } = visit.params;
      await visit.call(identityEndpoints.unlinkIdentity, { params: { provider } });
      return done(await openPortal(visit), 'unlinked');
    },
  }),
};

const done = (portal: Portal, what: string) => new Redirect(addressIn(portal, 'security', { done: what }));

export async function securityPage(
  portal: Portal,
  state: {
    done?: string | undefined;
    page?: string | undefined;
    refused?: RefusedForm;
    /** The refused form of a passkey. */
    keyComplaint?: Complaint;
  },
): Promise<PageResponse> {
  const { visit, texts } = portal;
  const { t } = texts;
  const [hasPassword, factors, passkeys, sessions, identities] = await Promise.all([
    asksPassword(visit),
    visit.call(secondFactorEndpoints.listSecondFactors),
    visit.call(passkeyEndpoints.listPasskeys),
    visit.call(sessionEndpoints.listSessions, { query: { page: state.page, limit: '20' } }),
    visit.call(identityEndpoints.listIdentities),
  ]);
  const others = { label: t('sessions.endOthers'), question: t('sessions.endOthersQuestion') };
  const end = addressIn(portal, 'security/sessions/end-others');
  const address = addressIn(portal, 'security/second-factor');
  const { refused, keyComplaint } = state;
  const keys = {
    passkeys: passkeys.collection,
    address: addressIn(portal, 'security/passkeys'),
    complaint: keyComplaint,
  };
  const content = html`${factorSection(visit, texts, { factors, asksPassword: hasPassword, address, refused })}
    ${passkeySection(visit, texts, keys)}
    <section class="stack">
      <h2>${t('sessions.title')}</h2>
      ${sessionList(visit, texts, {
        rows: sessions.collection,
        endAt: (id) => addressIn(portal, `security/sessions/${id}/end`),
      })}
      <p><a class="button" href="${addressIn(portal, 'tv')}">${t('portal.television.link')}</a></p>
      ${sessions.total > sessions.limit && pager(visit, texts, sessions)}
      ${sessions.total > 1 && confirmButton(visit, { ...others, action: end, name: 'end-others' })}
    </section>
    ${identities.collection.length > 0 && serviceSection(portal, identities.collection)}`;
  const notice = (['sessionsEnded', 'unlinked', 'factorOff', 'passkeySaved', 'passkeyRemoved'] as const).find(
    (known) => known === state.done,
  );
  const position = { section: 'security', title: t('portal.sections.security') } as const;
  const confirmation = notice && good(t(`portal.done.${notice}`));
  return showInPortal(
    portal,
    { ...position, notice: confirmation },
    content,
    refused || keyComplaint ? { status: 422 } : {},
  );
}

function serviceSection(portal: Portal, rows: readonly RowOf<typeof identityEndpoints.listIdentities>[]): Html {
  const { visit, texts } = portal;
  const { t } = texts;
  const entries = rows.map(({ provider, linked_at }) => {
    const name = provider.charAt(0).toUpperCase() + provider.slice(1);
    const question = { label: t('sessions.unlink'), question: t('sessions.unlinkQuestion', { provider: name }) };
    const action = addressIn(portal, `security/services/${encodeURIComponent(provider)}/unlink`);
    return html`<li>
      <div class="tight">
        <p class="strong"><bdi>${name}</bdi></p>
        <p class="quiet small">${t('sessions.since', { time: texts.date(linked_at) })}</p>
      </div>
      ${confirmButton(visit, { ...question, action, name: `unlink-${provider}` })}
    </li>`;
  });
  return html`<section class="stack">
    <h2>${t('sessions.services')}</h2>
    <ul class="card entries">
      ${entries}
    </ul>
  </section>`;
}
