import { type RequestFacts } from '../kit/endpoint';
import { requestLanguage } from '../kit/pages/languages';
import { Account } from './accounts.model';

/** Stores the language of a sign-in. The account gets its mails in this language. */
export async function rememberLanguage(account: Account, request: RequestFacts): Promise<void> {
  const language = requestLanguage(request);
  if (language === undefined || language === account.language) return;
  await Account.update({ language }, { where: { id: account.id } });
}
