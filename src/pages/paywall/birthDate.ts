import { accountEndpoints } from '../../accounts/accounts.endpoints';
import { detailEndpoints } from '../../accounts/details.endpoints';
import { html } from '../../kit/html';
import { type PageResponse, type PageResponseOptions } from '../../kit/pages/page';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, field, form, submit } from '../layout/forms';
import { address, type Paywall, stage, stageId } from './parts';
import { unavailableStage } from './unavailable';

/** The stage of an age-restricted item. It requests a missing date of birth, and refuses visitors who are too young. */
export async function tooYoungStage(paywall: Paywall, options: PageResponseOptions): Promise<PageResponse> {
  const account = await paywall.visit.call(accountEndpoints.getAccount);
  return account.date_of_birth === 0 ? birthDateStage(paywall, {}, options) : unavailableStage(paywall, 'age', options);
}

interface State {
  complaint?: Complaint;
  value?: string | undefined;
}

function birthDateStage(
  paywall: Paywall,
  { complaint, value }: State,
  options: PageResponseOptions = {},
): PageResponse {
  const { texts, visit } = paywall;
  const { t } = texts;
  const label = t('paywall.dateOfBirth');
  const content = html`${complaints(texts, complaint, { date_of_birth: label })}
  ${field(texts, { name: 'date_of_birth', label, type: 'date', value, autocomplete: 'bday', isRequired: true, complaint })}
  ${submit(t('common.continue'), { isFull: true })}`;
  const body = html`<section class="card stack">
    <h2 tabindex="-1" ${complaint ? '' : html`data-focus`}>${label}</h2>
    <p class="quiet">${t('paywall.dateOfBirthWhy')}</p>
    ${form(visit, { action: address(paywall, 'birth-date'), target: stageId, content, name: 'birth-date' })}
  </section>`;
  return stage(paywall, body, options);
}

/** Saves the date of birth. The result is undefined, or the stage with an error. */
export async function saveBirthDate(paywall: Paywall, bornAt: string | undefined): Promise<PageResponse | undefined> {
  const { visit, texts } = paywall;
  const account = await visit.call(accountEndpoints.getAccount);
  // A saved date of birth cannot be changed, because another date could open an item that the first date closed.
  if (account.date_of_birth !== 0) return undefined;
  const body = { full_name: account.full_name, date_of_birth: bornAt };
  if (bornAt === undefined || bornAt === '') return refused(texts.t('errors.required'));
  const outcome = await attempt(texts, () => visit.call(detailEndpoints.updateAccount, { body }));
  return 'done' in outcome ? undefined : refused(outcome.refused.message, outcome.refused);
  function refused(
    message: string,
    complaint: Complaint = { message, fields: { date_of_birth: message } },
  ): PageResponse {
    return birthDateStage(paywall, { complaint, value: bornAt }, { status: 422 });
  }
}
