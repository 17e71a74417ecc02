import { messageOf } from './launcher/words';

/** `npm start`. The settings are checked while the rest is loaded: what is wrong with them is one plain line. */
async function main(): Promise<void> {
  const { launch } = await import('./launcher/launcher.js');
  await launch();
}

main().catch((error: unknown) => {
  console.error(messageOf(error));
  process.exit(1);
});
