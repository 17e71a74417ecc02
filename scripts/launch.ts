import { messageOf } from './launcher/words';

/** `npm start`. The settings are checked while the rest is loaded; an error in them is printed as one line. */
async function main(): Promise<void> {
  const { launch } = await import('./launcher/launcher.js');
  await launch();
}

main().catch((error: unknown) => {
  console.error(messageOf(error));
  process.exit(1);
});
