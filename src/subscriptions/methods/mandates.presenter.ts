import { unixSeconds } from '../../kit/time';
import { type StoredMandate } from './mandates.model';

function presentFacts({ country, fingerprint, lastFour, reference }: StoredMandate, url: string) {
  return {
    bank_code: '',
    branch_code: '',
    country,
    fingerprint,
    last4: lastFour,
    mandate_reference: reference,
    mandate_url: url,
  };
}

export function presentMandate(mandate: StoredMandate) {
  return { is_approved: true, statement_descriptor: '', mandate: presentFacts(mandate, '') };
}

/** `currency`: the only one of the mandate, in lower case. */
export function presentCreated(mandate: StoredMandate, { url, currency }: { url: string; currency: string }) {
  const { id, createdAt, holderName } = mandate;
  return {
    id,
    currency,
    created: unixSeconds(createdAt),
    client_secret: '',
    owner: holderName,
    full_name: holderName,
    statement_descriptor: '',
    status: 'chargeable',
    type_data: presentFacts(mandate, url),
  };
}
