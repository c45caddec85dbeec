export * from './file-folder.js';
