"""What rules are proved on: planted trees and scripts, where each must fail, and in which words."""
