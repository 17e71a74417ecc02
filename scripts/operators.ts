import { inviteOperator, removeOperator, resetOperatorFactor } from '../src/accounts/operators';
import { openDataKey } from '../src/adapters/dataKey';
import { closeDatabase } from '../src/adapters/postgres/connection';

/**
 * `create <email>` makes an operator of the installation and prints the link that sets the password. For a known operator,
 * it prints a new link. `remove <email>` ends an operator's rights. `reset-factor <email>` removes a lost second factor.
 */
async function main(): Promise<void> {
  const [command = '', email = ''] = process.argv.slice(2);
  const usage = 'Name an address: npm run operator:create -- name@example.com';
  if (!email.includes('@')) throw new Error(usage);
  await openDataKey();
  if (command === 'create') {
    const link = await inviteOperator(email);
    console.log(`Open this address within one hour. It works once.\n${link}`);
  } else if (command === 'remove') {
    await removeOperator(email);
    console.log('The operator is removed.');
  } else if (command === 'reset-factor') {
    await resetOperatorFactor(email);
    console.log('The second factor is removed. The next sign-in asks for a new one.');
  } else throw new Error(usage);
  await closeDatabase();
}

main().catch((error: unknown) => {
  console.error((error as Error).message);
  process.exit(1);
});
