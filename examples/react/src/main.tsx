import { createRoot } from 'react-dom/client';
import { RecommendedForYou } from './recommended-for-you.js';

createRoot(document.querySelector('#root')!).render(<RecommendedForYou modelFolder="/models/sample/" />);
