import { needsOperatorFactor, needsRecentFactor } from '../../src/kit/auth';
import { policyOf } from '../../src/kit/policy';
import { generatedRoutes } from '../support/generated';

/** What a merchant, a follower or a member of the staff deletes asks for a recent confirmation. */

/** Deletions without the question, with the reason. */
const exempt: Record<string, string> = {
  eraseAccount: 'the rule asks for the password and for the factor',
  unlinkIdentity: 'the rule asks every client',
  deletePasskey: 'the rule asks for the password, the factor or a sign-in',
  deleteSecondFactor: 'contains a code of the factor',
  endSession: 'protects the account, also from a thief who cannot confirm',
  endOtherSessions: 'the same',
  endCustomerSession: 'the same, for a customer',
  endCustomerSessions: 'the same, for a customer',
  cancelEmailChange: 'keeps the address of the account',
  cancelSubscription: 'customers call it, too, and those who act for them; the row stays',
  deleteFavorite: 'belongs to one person, who adds it again',
  deleteWatch: 'the same',
  deleteProfile: 'the same',
  deleteSavedFilter: 'the same',
};

const deletions = generatedRoutes.filter(([, { endpoint }]) => {
  const { verdicts } = policyOf(endpoint.auth);
  const isForMerchants = [verdicts.merchant, verdicts.followerWithScope, verdicts.staffWithScope].includes('pass');
  return endpoint.method === 'delete' && verdicts.nobody === 401 && isForMerchants;
});
const isAsked = new Map(deletions.map(([name, { endpoint }]) => [name, needsRecentFactor(endpoint.auth)]));

test.each(deletions)('asks for a recent confirmation, or has a reason: %s', (name) => {
  expect({ name, isAsked: isAsked.get(name) }).toEqual({ name, isAsked: !(name in exempt) });
});

test('each reason is for a deletion', () => {
  expect(deletions.length).toBeGreaterThan(40);
  expect(Object.keys(exempt).filter((name) => !isAsked.has(name))).toEqual([]);
});

test('operators confirm every call', () => {
  const calls = generatedRoutes.filter(([, { endpoint }]) => endpoint.path.startsWith('/operator/'));
  expect(calls.filter(([, { endpoint }]) => !needsOperatorFactor(endpoint.auth)).map(([name]) => name)).toEqual([]);
});
