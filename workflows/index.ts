export { subscription } from './subscription';
