import { importEndpoints } from '../../../customers/imports/imports.endpoints';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, type PageResponse } from '../../../kit/pages/page';
import { type AnswerOf } from '../../layout/answers';
import { attempt, type Complaint } from '../../layout/explain';
import { complaints, form, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { showPage } from '../crudPages';
import { AnyForm, isOn } from '../fields';
import { folded, inConsole, type MerchantVisit, refusedIf, showInConsole } from '../frame';
import { facts } from '../lists';
import { exampleFile, fileFields } from './importFile';
import { faultTable } from './importFaults';

/** Customers from a file. The first button checks the file, and a file without faults can then be imported. */

const address = '/console/customers/import';
const auth = merchant('accounts:write');

type Result = AnswerOf<typeof importEndpoints.importCustomers>;

/** The file as it was sent. */
interface Sent {
  csv: string;
  sendsMails: boolean;
}

export const customerImportPages = {
  showCustomerImport: showPage({
    auth,
    path: address,
    summary: 'The import of customers from a file',
    show: (visit) => importPage(visit, { csv: '', sendsMails: true }),
  }),
  downloadImportExample: showPage({
    auth,
    path: `${address}/example`,
    summary: 'An example of a file with customers',
    show: (visit) => exampleFile(visit),
  }),
  importCustomersInConsole: page({
    ...inConsole,
    auth,
    method: 'post',
    path: address,
    summary: 'Checks a file with customers, or imports it',
    form: AnyForm,
    cardNumberFields: ['csv'],
    handler: (visit) => {
      const { csv = '', send_mails, step } = visit.form;
      const sent = { csv, sendsMails: isOn(send_mails) };
      return step === 'import' ? importFile(visit, sent) : checkFile(visit, sent);
    },
  }),
};

const bodyOf = ({ csv, sendsMails }: Sent) => ({ csv, send_mails: String(sendsMails) });

async function checkFile(visit: MerchantVisit, sent: Sent): Promise<PageResponse> {
  const body = { ...bodyOf(sent), dry_run: 'true' };
  const outcome = await attempt(textsFor(visit), () => visit.call(importEndpoints.importCustomers, { body }));
  return importPage(visit, sent, 'done' in outcome ? { checked: outcome.done } : { complaint: outcome.refused });
}

/** A file that has got a fault since it was checked is checked again, which shows the fault. */
async function importFile(visit: MerchantVisit, sent: Sent): Promise<PageResponse> {
  const work = () => visit.callOnce(importEndpoints.importCustomers, { body: bodyOf(sent) });
  const outcome = await attempt(textsFor(visit), work);
  return 'done' in outcome ? donePage(visit, outcome.done) : checkFile(visit, sent);
}

const placeOf = ({ t }: Texts) => {
  const back = { address: '/console/customers', text: t('console.sections.customers') };
  return { section: 'customers', title: t('console.imports.title'), back } as const;
};

interface Outcome {
  complaint?: Complaint;
  checked?: Result;
}

function importPage(visit: MerchantVisit, sent: Sent, { complaint, checked }: Outcome = {}): PageResponse {
  const texts = textsFor(visit);
  const content = html`${complaints(texts, complaint, ['csv'])} ${fileFields(visit, texts, { ...sent, complaint })}
  ${submit(texts.t('console.imports.check'), { kind: checked?.faults.length === 0 ? 'other' : 'main' })}`;
  const whole = html`${checked && resultOf(visit, texts, sent, checked)}
    <section class="card stack">
      ${form(visit, { action: address, content, name: 'check', isMultipart: true })}
    </section>`;
  return showInConsole(visit, placeOf(texts), whole, refusedIf(complaint));
}

function resultOf(visit: MerchantVisit, texts: Texts, sent: Sent, checked: Result): Html {
  const { t } = texts;
  const { faults, new_customers: count, new_accesses: accesses } = checked;
  const isEmpty = faults.length === 0 && count + accesses === 0;
  const told =
    faults.length > 0
      ? html`<p class="alert bad" role="alert" tabindex="-1" data-focus>
          ${t('console.imports.someFaults', { count: faults.length })}
        </p>`
      : html`<p class="alert ${isEmpty ? '' : 'good'}" role="status" tabindex="-1" data-focus>
          ${t(isEmpty ? 'console.imports.nothing' : 'console.imports.noFaults')}
        </p>`;
  const label = count > 0 ? t('console.imports.import', { count }) : t('console.imports.giveAccess');
  const content = html`<input type="hidden" name="csv" value="${sent.csv}" />
    <input type="hidden" name="send_mails" value="${String(sent.sendsMails)}" />
    <input type="hidden" name="step" value="import" />
    ${submit(label)}`;
  return html`<section class="stack">
    <h2>${t('console.imports.checked')}</h2>
    ${told}
    ${
      faults.length > 0
        ? faultTable(texts, faults)
        : html`<div class="card stack">
            ${numbersOf(texts, checked)}
            ${!isEmpty && form(visit, { action: address, content, name: 'import', isMultipart: true })}
          </div>`
    }
  </section>`;
}

function numbersOf(texts: Texts, result: Result): Html {
  const { t, number } = texts;
  const { known_customers: known } = result;
  const emails = known.map(
    ({ line, email }) => html`<li><span>${email}</span> <span>${t('console.imports.line')} ${line}</span></li>`,
  );
  return html`${facts([
    [t('console.imports.rows'), number(result.rows)],
    [t('console.imports.newCustomers'), number(result.new_customers)],
    [t('console.imports.knownCustomers'), number(known.length)],
    [t('console.imports.newAccesses'), number(result.new_accesses)],
    [t('console.imports.knownAccesses'), number(result.known_accesses)],
    [t('console.imports.mails'), number(result.mails)],
  ])}
  ${
    known.length > 0 &&
    folded(
      t('console.imports.knownCustomers'),
      html`<p class="hint">${t('console.imports.knownHint')}</p>
        <ul class="entries">
          ${emails}
        </ul>`,
      false,
    )
  }`;
}

function donePage(visit: MerchantVisit, done: Result): PageResponse {
  const texts = textsFor(visit);
  const { t } = texts;
  const whole = html`<p class="alert good" role="status" tabindex="-1" data-focus>${t('console.imports.imported')}</p>
    <section class="card stack">
      ${numbersOf(texts, done)}
      <p class="row">
        <a class="button main" href="/console/customers">${t('console.sections.customers')}</a>
        <a class="button" href="${address}">${t('console.imports.another')}</a>
      </p>
    </section>`;
  return showInConsole(visit, placeOf(texts), whole);
}
