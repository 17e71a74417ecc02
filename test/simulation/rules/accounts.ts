import { type AccountRow, type Books } from '../books';
import { type Recorded } from '../history';
import { actorsByAccount, type Attempts, operationsOf } from '../operations';
import { type Found } from './violation';

/**
 * After an accepted erasure, the account has no personal data and no access, and cannot sign in. No other account is
 * erased. An accepted export is mailed once.
 */
export function checkAccounts(history: readonly Recorded[], { accounts }: Books): Found[] {
  const operations = operationsOf(history);
  const actors = actorsByAccount(operations);
  const ofActor = Map.groupBy(operations, ({ actor }) => actor);
  return accounts.flatMap((account) => {
    const own = ofActor.get(actors.get(account.accountUuid) ?? '') ?? [];
    return [...wrongErasures(account, own), ...wrongExports(account, own)];
  });
}

function wrongErasures(
  { accountUuid, isErased, personalRows, openAccesses }: AccountRow,
  own: readonly Attempts[],
): Found[] {
  const erasures = own.filter(({ what }) => what === 'erase');
  const accepted = erasures.find((one) => one.accepted);
  const signedIn = own.filter((one) => one.what === 'sign in' && one.accepted);
  const lines = erasures.flatMap((one) => one.lines);
  const about = (what: string) => [{ what: `${accountUuid} ${what}`, lines }];
  return [
    ...(accepted && !isErased ? about('asked for its erasure, and is not erased') : []),
    ...(isErased && erasures.length === 0 ? about('is erased, and nobody asked for it') : []),
    ...(isErased && personalRows > 0 ? about(`is erased, and has ${personalRows} rows with personal data`) : []),
    ...(isErased && openAccesses > 0 ? about(`is erased, and has ${openAccesses} accesses`) : []),
    ...(accepted
      ? signedIn.map((one) => ({
          what: `${accountUuid} is erased, and has signed in`,
          lines: [...lines, ...one.lines],
        }))
      : []),
  ];
}

/** An erasure ends an export, and deletes its mail. */
function wrongExports({ accountUuid, isErased, exports, exportMails }: AccountRow, own: readonly Attempts[]): Found[] {
  const asked = own.filter(({ what }) => what === 'export');
  const least = isErased ? 0 : asked.filter(({ accepted }) => accepted).length;
  const most = asked.filter(({ accepted, isUnknown }) => accepted !== undefined || isUnknown).length;
  const lines = asked.flatMap((one) => one.lines);
  const isWrong = exports < least || exports > most;
  return [
    ...(isWrong
      ? [{ what: `${accountUuid}: ${least} to ${most} exports were accepted, ${exports} are done`, lines }]
      : []),
    ...(!isErased && exportMails !== exports
      ? [{ what: `${accountUuid}: ${exports} exports are done, and ${exportMails} mailed`, lines }]
      : []),
  ];
}
