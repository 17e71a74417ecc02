import { randomUUID } from 'node:crypto';

export type Fields = Record<string, unknown>;

export interface Answered {
  status: number;
  body: Fields;
}

export function failure(status: number, error: Fields): Answered {
  return { status, body: { error } };
}

/** What an account of the stand-in for Stripe answers about itself: its keys, webhook endpoints and wallet domains. */
export interface StripeStandInAccount {
  id: string;
  secretKey: string;
  publishableKey: string;
  /** Whether Stripe lets the account take payments. */
  takesPayments: boolean;
  /** Whether Apple Pay becomes active for a domain. */
  takesDomains: boolean;
  /** The merchant has answered Stripe's questions, and what is still missing. For accounts below the platform. */
  hasAnswered: boolean;
  due: string[];
  /** False after the merchant has removed the platform. */
  isAuthorized: boolean;
  endpoints: Fields[];
  domains: Fields[];
  /** The submitted evidence, by the id of the dispute. */
  evidence: Map<string, Fields>;
  /** The uploaded files, by their ids, with the text of the request. */
  files: Map<string, string>;
  /** Undefined for requests that are not about the account. */
  answerAccount(verb: string, path: string, fields: Fields, key: string): Answered | undefined;
}

export function createAccount(name: string): StripeStandInAccount {
  const setups = new Map<string, Fields>();
  const account: StripeStandInAccount = {
    id: `acct_${name}`,
    secretKey: `sk_test_${name}`,
    publishableKey: `pk_test_${name}`,
    takesPayments: true,
    takesDomains: true,
    hasAnswered: false,
    due: [],
    isAuthorized: true,
    endpoints: [],
    domains: [],
    evidence: new Map(),
    files: new Map(),
    answerAccount(verb, path, fields, key) {
      const [, , kind = '', id = '', action = ''] = path.split('/');
      const route = [verb, kind, ...(id === '' ? [] : ['{id}']), ...(action === '' ? [] : [action])].join(' ');
      if (route === 'GET account')
        return done({ id: account.id, object: 'account', charges_enabled: account.takesPayments });
      if (route === 'POST setup_intents' && fields['customer'] === undefined) return addSetup(setups);
      if (kind === 'setup_intents' && !setups.has(id) && key === account.secretKey) return undefined;
      if (route === 'GET setup_intents {id}') return readSetup(setups.get(id), fields, key === account.publishableKey);
      if (route === 'POST setup_intents {id} cancel') return done({ ...setups.get(id), status: 'canceled' });
      if (route === 'GET webhook_endpoints') return list(account.endpoints);
      if (route === 'POST webhook_endpoints') return addEndpoint(account.endpoints, fields);
      if (route === 'DELETE webhook_endpoints {id}') return remove(account.endpoints, id);
      if (route === 'GET payment_method_domains')
        return list(account.domains.filter((one) => one['domain_name'] === fields['domain_name']));
      if (route === 'POST payment_method_domains') return addDomain(account, fields);
      if (route === 'POST payment_method_domains {id} validate') return validate(account, id);
      if (route === 'POST disputes {id}') return submit(account, id, fields);
      if (route === 'POST files') return addFile(account.files, fields);
      return undefined;
    },
  };
  return account;
}

const done = (body: Fields): Answered => ({ status: 200, body });
const list = (data: Fields[]) => done({ object: 'list', data, has_more: false, url: '/v1/list' });
const missing = (id: string) =>
  failure(404, { type: 'invalid_request_error', code: 'resource_missing', message: `No such: ${id}` });

function addSetup(setups: Map<string, Fields>): Answered {
  const id = `seti_${randomUUID()}`;
  const setup = { id, object: 'setup_intent', status: 'requires_payment_method', client_secret: `${id}_secret` };
  setups.set(id, setup);
  return done(setup);
}

function readSetup(setup: Fields | undefined, fields: Fields, isPublic: boolean): Answered {
  if (!setup || (isPublic && setup['client_secret'] !== fields['client_secret'])) return missing('setup intent');
  return done(setup);
}

function addEndpoint(endpoints: Fields[], fields: Fields): Answered {
  const endpoint = { id: `we_${randomUUID()}`, object: 'webhook_endpoint', status: 'enabled', ...fields };
  endpoints.push(endpoint);
  // Stripe shows the secret once.
  return done({ ...endpoint, secret: `whsec_${endpoint.id.slice(3).replaceAll('-', '')}` });
}

function remove(endpoints: Fields[], id: string): Answered {
  const at = endpoints.findIndex((one) => one['id'] === id);
  if (at < 0) return missing(id);
  endpoints.splice(at, 1);
  return done({ id, object: 'webhook_endpoint', deleted: true });
}

/** The bank reads the first submission only. A receipt is a file of the account. */
function submit({ evidence, files }: StripeStandInAccount, id: string, fields: Fields): Answered {
  if (evidence.has(id)) return failure(400, { type: 'invalid_request_error', message: 'Evidence was submitted.' });
  const sent = fields['evidence'] as Fields;
  const receipt = sent['receipt'] as string | undefined;
  if (receipt !== undefined && !files.has(receipt)) return missing(receipt);
  if (fields['submit'] === 'true') evidence.set(id, sent);
  return done({ id, object: 'dispute', status: 'under_review' });
}

/** Stripe takes a file of evidence as a picture or a PDF. */
export function addFile(files: Map<string, string>, { multipart }: Fields): Answered {
  const sent = String(multipart);
  const isPdf = /name="purpose"\r\n\r\ndispute_evidence\r\n/.test(sent) && /application\/pdf\r\n\r\n%PDF-/.test(sent);
  if (!isPdf) return failure(400, { type: 'invalid_request_error', message: 'Evidence must be a picture or a PDF.' });
  const id = `file_${randomUUID()}`;
  files.set(id, sent);
  return done({ id, object: 'file', purpose: 'dispute_evidence', size: sent.length, type: 'pdf' });
}

function addDomain(account: StripeStandInAccount, { domain_name }: Fields): Answered {
  const domain = { id: `pmd_${randomUUID()}`, object: 'payment_method_domain', domain_name, apple_pay: inactive };
  account.domains.push(domain);
  return done(domain);
}

const inactive = { status: 'inactive', status_details: { error_message: 'The domain could not be verified.' } };

function validate(account: StripeStandInAccount, id: string): Answered {
  const domain = account.domains.find((one) => one['id'] === id);
  if (!domain) return missing(id);
  if (account.takesDomains) domain['apple_pay'] = { status: 'active' };
  return done(domain);
}
